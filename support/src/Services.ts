/**
 * The gate in front of tests that want a real service.
 *
 * A test names the service; where it is absent the test is left out and says so on stderr, and where `REQUIRE_SERVICES=1` is
 * set (as CI does) its absence is a failure. `scripts/with-services.mjs` starts the services and sets the variables.
 */
import { existsSync } from "node:fs";
import { describe, it } from "vitest";

/** A service that a test may ask for. */
export type Service = "postgres" | "redis" | "nats" | "chromium";

/** Where each service is told: a URL, and for Chromium the path of the program. */
const VARIABLES: Record<Service, string> = {
  postgres: "GAME_DATA_POSTGRES_URL",
  redis: "GAME_DATA_REDIS_URL",
  nats: "GAME_DATA_NATS_URL",
  chromium: "GAME_DATA_CHROMIUM",
};

const CHROMIUM_PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const addressOf = (service: Service): string | undefined =>
  process.env[VARIABLES[service]] ||
  (service === "chromium" ? CHROMIUM_PATHS.find((path) => existsSync(path)) : undefined);

/**
 * `describe` for tests that need `service`; `define` gets its URL (Chromium: the path of the program).
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
  const reason = `${VARIABLES[service]} is not set`;
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
