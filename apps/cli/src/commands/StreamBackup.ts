/** `gamedata stream backup` and `restore`: a SQLite store as files. */
import { printJson } from "@game-data/terminal/Output";
import { Effect } from "effect";
import { Argument, Command } from "effect/cli";
import { about, storeFlag } from "./StreamStore.ts";

const operating = Effect.promise(() => import("../session/operateStream.ts"));

const fileArgument = (what: string) => Argument.String("file").pipe(Argument.withDescription(what));

const backupCommand = Command.make(
  "backup",
  { file: fileArgument("The copy to make; FILE.index beside it"), store: storeFlag },
  Effect.fnUntraced(function* ({ file, store }) {
    const { backupStore } = yield* operating;
    yield* printJson(yield* backupStore(store, file));
  }),
).pipe(
  about(
    "Copy a SQLite store and its index while it is followed into. Nothing that exists is replaced.",
    "Copy a SQLite store",
    {
      command: "gamedata stream backup /backup/pages.db --store sqlite:pages.db",
      description: "A copy of now",
    },
  ),
);

const restoreCommand = Command.make(
  "restore",
  { file: fileArgument("A copy that stream backup made"), store: storeFlag },
  Effect.fnUntraced(function* ({ file, store }) {
    const { restoreStore } = yield* operating;
    yield* printJson(yield* restoreStore(file, store));
  }),
).pipe(
  about(
    "Make a SQLite store from a copy, which is checked first. A store that exists is not replaced:\nmove it away before.",
    "Make a store from a copy",
    {
      command: "gamedata stream restore /backup/pages.db --store sqlite:pages.db",
      description: "After a damage",
    },
  ),
);

/** The commands. */
export const backupCommands = [backupCommand, restoreCommand] as const;
