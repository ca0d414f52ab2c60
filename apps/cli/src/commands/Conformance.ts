/**
 * `gamedata conformance`: where a deployment deviates from the contract.
 */
import { command, help } from "./command.ts";
import { failure } from "@game-data/terminal/Failure";
import { print } from "@game-data/terminal/Output";
import { Effect, Option } from "effect";
import { allRealms, realmFlag } from "../config/flags.ts";
import { textFlag, numberFlag } from "@game-data/terminal/flags";
import { connected, settings } from "../config/Settings.ts";
import { conformanceReport } from "../output/conformanceReport.ts";

/** `gamedata conformance`. */
export const conformanceCommand = command(
  "conformance",
  help(
    "Compare a deployment with the contract. Sends requests that only read, with your token, and\nchecks records, headers, null results and error bodies. Endpoints that your token does not\npermit are listed as not asked. Exits with 76 if the service deviates.",
    {
      "gamedata conformance": "All endpoints of the realm pc",
      "gamedata conformance --realm console_a --league Standard --json": "Another realm, as JSON",
      "gamedata sandbox exec -- gamedata conformance": "The service on this machine",
    },
  ),
  {
    realm: realmFlag(allRealms),
    league: textFlag("league", "League whose stashes and ladders are read (default: the first)"),
    pages: numberFlag("pages", "Number of pages to read of each stream (default: 2)", 2),
  },
  Effect.fnUntraced(function* ({ league, pages, realm }) {
    if (pages < 1) return yield* failure("usage", "Invalid --pages: use 1 or more.");
    const [{ examine }, { openDeployment }] = yield* Effect.promise(() =>
      Promise.all([
        import("@game-data/sandbox/conformance"),
        import("../conformance/Deployment.ts"),
      ]),
    );
    const report = yield* examine(yield* openDeployment(yield* settings), {
      realm,
      pages,
      league: Option.getOrUndefined(league),
    });
    yield* print(report, conformanceReport);
    if (report.deviations > 0)
      return yield* failure(
        "not-conforming",
        `The service deviates from the contract in ${report.deviations} points.`,
      );
    if (report.endpoints.every(({ endpoint, requests }) => isError(endpoint) || requests === 0))
      return yield* failure("scope-missing", "The token permits none of the endpoints.");
  }),
).pipe(connected);

const isError = (endpoint: string): boolean => endpoint.startsWith("errors.");
