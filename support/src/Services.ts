/**
 * Runs tests that need a real service or program.
 *
 * If the service is absent, the tests are skipped with a warning on stderr; with
 * `REQUIRE_SERVICES=1` (as in CI) they fail. `GAME_DATA_SERVICES=none` skips them all.
 * `scripts/with-services.mjs` starts the services and sets the variables.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, it } from "vitest";

/** A service that a test may ask for. */
export type Service = "postgres" | "redis" | "nats" | "chromium" | "terminal" | "zsh" | "fish";

/**
 * The environment variable of each service: a URL, or the path of a program (Chromium, `script` of
 * util-linux, shells).
 */
const VARIABLES: Record<Service, string> = {
  postgres: "GAME_DATA_POSTGRES_URL",
  redis: "GAME_DATA_REDIS_URL",
  nats: "GAME_DATA_NATS_SERVER",
  chromium: "GAME_DATA_CHROMIUM",
  terminal: "GAME_DATA_SCRIPT",
  zsh: "GAME_DATA_ZSH",
  fish: "GAME_DATA_FISH",
};

/** Usual paths of the programs. */
const PATHS: Partial<Record<Service, ReadonlyArray<string>>> = {
  chromium: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
  terminal: ["/usr/bin/script"],
  zsh: ["/usr/bin/zsh", "/bin/zsh"],
  fish: ["/usr/bin/fish"],
};

const areHidden = process.env["GAME_DATA_SERVICES"] === "none";

const addressOf = (service: Service): string | undefined =>
  areHidden
    ? undefined
    : process.env[VARIABLES[service]] || PATHS[service]?.find((path) => isThere(service, path));

/** The `script` of BSD and macOS has other options. */
const isThere = (service: Service, path: string): boolean =>
  existsSync(path) &&
  (service !== "terminal" ||
    spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.includes("util-linux"));

/**
 * `describe` for tests that need `service`; `define` gets its URL or, for
 * a program, its path.
 */
export const describeWithService = (
  service: Service,
  title: string,
  define: (address: string) => void,
): void => {
  const address = addressOf(service);
  if (address !== undefined) {
    describe(title, () => define(address));
    return;
  }
  const searched = PATHS[service]?.join(", ");
  const reason = areHidden
    ? "GAME_DATA_SERVICES is none"
    : `${VARIABLES[service]} is not set${searched === undefined ? "" : ` and it is not at ${searched}`}`;
  if (process.env["REQUIRE_SERVICES"] === "1") {
    describe(title, () => {
      it(`finds ${service}`, () => {
        throw new Error(`${service} is required here, but ${reason}`);
      });
    });
    return;
  }
  console.warn(`LEFT OUT: "${title}" needs ${service}: ${reason} (scripts/with-services.mjs)`);
  describe.skip(`${title} (left out: needs ${service})`, () => define(""));
};
