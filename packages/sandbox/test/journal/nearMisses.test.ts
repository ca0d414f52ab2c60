/** What a mistyped request may have meant: the right route first, and nothing of a secret. */
import { describe, expect, it } from "vitest";
import { OAUTH_ROUTES, ROUTES } from "../../src/contract.ts";
import { nearMisses } from "../../src/http/nearMisses.ts";

const routes = Object.values({ ...OAUTH_ROUTES, ...ROUTES }).map(({ method, path }) => ({
  method,
  template: path,
}));

/** The routes that people meant, and the words that say what was wrong. */
const MEANT: ReadonlyArray<readonly [string, string, string]> = [
  ["GET /leagu", "GET /league", "`leagu` is `league`"],
  [
    "GET /league/Standard/eventladder",
    "GET /league/:league/event-ladder",
    "`eventladder` is `event-ladder`",
  ],
  ["POST /profile", "GET /profile", "GET, not POST"],
  ["GET /api/profile", "GET /profile", "a segment too many"],
  ["GET /characters/Mine", "GET /character/:realm?/:name", "`characters` is `character`"],
  ["GET /public-stash-tab", "GET /public-stash-tabs/:realm?", "`public-stash-tab` is"],
  ["DELETE /item-filter/1", "GET /item-filter/:id", "GET, not DELETE"],
  ["GET /oauth/tokens", "POST /oauth/token", "POST, not GET"],
  ["POST /token", "POST /oauth/token", "oauth is missing"],
  ["GET /guild/stashes/Standard", "GET /guild/:realm?/stash/:league", "`stashes` is `stash`"],
  ["GET /currency-exchange/1/2/3", "GET /currency-exchange/:realm?/:id?", "a segment too many"],
];

describe("near misses", () => {
  it.each(MEANT)("of %s begin with %s", (asked, meant, reason) => {
    const [method = "", path = ""] = asked.split(" ");
    const found = nearMisses(method, path, routes);
    expect(found.length).toBeLessThanOrEqual(3);
    expect(`${found[0]?.method} ${found[0]?.template}`).toBe(meant);
    expect(found[0]?.reasons.join("; ")).toContain(reason);
  });

  it("are none for what comes near to nothing, and tell no segment of it", () => {
    expect(nearMisses("GET", "/wp-login.php", routes)).toEqual([]);
    expect(nearMisses("GET", "/", routes)).toEqual([]);
    const token = "s3cretT0ken".repeat(3);
    const told = JSON.stringify(nearMisses("GET", `/leagues/${token}/ladders/${token}`, routes));
    expect(told).toContain("`ladders` is `ladder`");
    expect(told).not.toContain("s3cret");
  });

  it("of a long path cost little", () => {
    expect(nearMisses("GET", "/league".repeat(5_000), routes)).toEqual([]);
  });
});
