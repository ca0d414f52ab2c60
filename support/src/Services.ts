/**
 * The gate in front of tests that want a real service.
 *
 * A test names the service; where it is absent the test is left out and says so on stderr, and
 * where `REQUIRE_SERVICES=1` is set (as CI does) its absence is a failure.
 * `scripts/with-services.mjs` starts the services and sets the variables.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, it } from "vitest";

/** A service that a test may ask for. */
export type Service = "postgres" | "redis" | "nats" | "chromium" | "terminal";

/**
 * Where each service is told: a URL, and for Chromium and a terminal (`script` of util-linux) the
 * path of the program.
 */
const VARIABLES: Record<Service, string> = {
  postgres: "GAME_DATA_POSTGRES_URL",
  redis: "GAME_DATA_REDIS_URL",
  nats: "GAME_DATA_NATS_URL",
  chromium: "GAME_DATA_CHROMIUM",
  terminal: "GAME_DATA_SCRIPT",
};

/** Where the programs usually are. */
const PATHS: Partial<Record<Service, ReadonlyArray<string>>> = {
  chromium: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
  terminal: ["/usr/bin/script"],
};

const addressOf = (service: Service): string | undefined =>
  process.env[VARIABLES[service]] || PATHS[service]?.find((path) => isThere(service, path));

/** BSD and macOS have a `script` too, which takes other options. */
const isThere = (service: Service, path: string): boolean =>
  existsSync(path) &&
  (service !== "terminal" ||
    spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.includes("util-linux"));

/**
 * `describe` for tests that need `service`; `define` gets its URL (Chromium and a terminal: the
 * path of the program).
 *
 * Left out loudly where the service is absent; a failing test where `REQUIRE_SERVICES=1`.
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
  const reason = `${VARIABLES[service]} is not set${searched === undefined ? "" : ` and it is not at ${searched}`}`;
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
