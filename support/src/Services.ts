/**
 * Runs tests that need a real service or program.
 *
 * If the service is absent, the tests are skipped with a warning on stderr; with
 * `REQUIRE_SERVICES=1` (as in CI) they fail. `GAME_DATA_SERVICES=none` skips them all.
 * `scripts/with-services.mjs` starts the services and sets the variables.
 */
import { existsSync } from "node:fs";
import { describe, it } from "vitest";

/** Services and programs that a test may need. */
export type Service = "postgres" | "redis" | "nats" | "chromium";

/** Environment variable of each service: its URL, or the path of the program. */
const VARIABLES: Record<Service, string> = {
  postgres: "GAME_DATA_POSTGRES_URL",
  redis: "GAME_DATA_REDIS_URL",
  nats: "GAME_DATA_NATS_SERVER",
  chromium: "GAME_DATA_CHROMIUM",
};

/** Default paths of the programs. */
const PATHS: Partial<Record<Service, ReadonlyArray<string>>> = {
  chromium: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
};

const areHidden = process.env["GAME_DATA_SERVICES"] === "none";

const addressOf = (service: Service): string | undefined =>
  areHidden ? undefined : process.env[VARIABLES[service]] || PATHS[service]?.find(existsSync);

/** Describes tests that need `service`. `define` receives its URL, or the path of a program. */
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
