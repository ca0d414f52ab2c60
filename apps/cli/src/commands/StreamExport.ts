/** `gamedata stream export`: rows of a store as a file, once or following. */
import { command, help } from "./command.ts";
import { printJson } from "@game-data/terminal/Output";
import { Effect } from "effect";
import { Argument, Flag } from "effect/cli";
import { allRealms, outFlag, realmFlag } from "../config/flags.ts";
import { omitUndefined, switchFlag, textFlag } from "@game-data/terminal/flags";
import { countFlag, storeFlag } from "./StreamStore.ts";

const operating = Effect.promise(() => import("../session/operateStream.ts"));

/** The command. */
export const exportCommand = command(
  "export",
  help(
    "Export the rows of a SQLite or PostgreSQL store: stashes, items or markets, as NDJSON, CSV or Parquet.\nParquet needs the package @duckdb/node-api, which the single executable cannot load, and --out FILE.\n--follow appends every change of a log, of any store, as a line of JSON; it goes on where the file ends.",
    {
      "gamedata stream export items --store sqlite:pages.db --format csv --out items.csv":
        "As a table",
      "gamedata stream export stashes --store sqlite:pages.db --follow --out changes.ndjson":
        "Every change, as it comes",
    },
  ),
  {
    kind: Argument.Literals("kind", ["stashes", "items", "markets"]).pipe(
      Argument.withDescription("Records to export: stashes, items or markets"),
    ),
    store: storeFlag,
    realm: realmFlag(allRealms),
    format: Flag.Literals("format", ["ndjson", "csv", "parquet"]).pipe(
      Flag.withDescription("Format of the file (default: ndjson)"),
      Flag.withDefault("ndjson" as const),
    ),
    raw: switchFlag("raw", "Leave texts in CSV as they are, formulas included: for programs"),
    out: outFlag(),
    league: textFlag("league", "Only this league"),
    since: countFlag("since", "Only records that changed after this page", 0),
    follow: switchFlag("follow", "Append every change to --out FILE, from where the file ends"),
    untilCaughtUp: switchFlag("until-caught-up", "With --follow: end at the end of the log"),
  },
  Effect.fnUntraced(function* (flags) {
    const {
      follow,
      format: named,
      kind,
      out,
      raw,
      realm,
      store,
      untilCaughtUp,
      ...optional
    } = flags;
    const { exportRows, followExport } = yield* operating;
    const source = kind === "markets" ? ("exchange" as const) : ("stashes" as const);
    const stream = { store, key: { source, realm } };
    const format = raw && named === "csv" ? ("csv-raw" as const) : named;
    const request = { kind, format, out, ...omitUndefined(optional) };
    const until = untilCaughtUp ? ("caughtUp" as const) : ("forever" as const);
    const report = yield* follow
      ? followExport(stream, { ...request, until })
      : exportRows(stream, request);
    if (out !== "-") yield* printJson(report);
  }),
);
