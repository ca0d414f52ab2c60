/**
 * `gamedata config`: reads and writes the configuration file.
 */
import { argument } from "@game-data/terminal/flags";
import { command, commands, help } from "./command.ts";
import type { WordsInput } from "@game-data/contract";
import { failure } from "@game-data/terminal/Failure";
import { readJson, readText } from "@game-data/terminal/Input";
import { print, printLine, printList } from "@game-data/terminal/Output";
import { table } from "@game-data/terminal/View";
import { Effect, Redacted } from "effect";
import { Argument } from "effect/cli";
import { editSection, readIfPresent, writeConfigFile } from "../config/file.ts";
import { problemOf, SECRETS, SETTINGS } from "../config/names.ts";
import { configFile, connected, settings } from "../config/Settings.ts";

const checkModule = Effect.promise(() => import("../session/connect.ts"));

const name = Argument.Literals("name", SETTINGS).pipe(
  Argument.withDescription(`Name of the setting: ${SETTINGS.join(", ")}`),
);

const listCommand = command(
  "list",
  help(
    "List the settings in force and where each comes from: a flag, the environment, a profile, the\nfile or a default. Secrets are hidden.",
    {
      "gamedata config list": "All settings",
      "gamedata config list --profile staging": "With another profile",
    },
  ),
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const entries = SETTINGS.flatMap((each) => {
      const source = from.sources[each];
      const value = from[each];
      if (source === undefined || value === undefined) return [];
      const shown = SECRETS.has(each)
        ? "(hidden)"
        : typeof value === "object"
          ? JSON.stringify(value)
          : String(value);
      return [{ name: each, value: shown, source }];
    });
    yield* printList(entries, (all) =>
      table(
        ["setting", "value", "source"],
        all.map((entry) => [entry.name, entry.value, entry.source]),
      ),
    );
  }),
);

const getCommand = command(
  "get",
  help("Print the value of a setting. Secrets are not printed.", {
    "gamedata config get baseUrl": "An address",
  }),
  { name },
  Effect.fnUntraced(function* ({ name: wanted }) {
    const value = (yield* settings)[wanted];
    if (value === undefined)
      return yield* failure("setting-missing", `${wanted} is not set.`, {
        next: `set it with: gamedata config set ${wanted} VALUE`,
        details: { setting: wanted },
      });
    if (Redacted.isRedacted(value))
      return yield* failure("usage", `${wanted} is a secret and is not printed.`);
    yield* printLine(typeof value === "object" ? JSON.stringify(value) : String(value));
  }),
);

const setCommand = command(
  "set",
  help(
    "Write a setting into the configuration file; with --profile into that profile, which is\ncreated if it does not exist. Only you can read the file.",
    {
      "gamedata config set clientId my-app": "The registered client",
      "gamedata config set clientSecret - < secret.txt":
        "A secret, without showing it in the process list",
      "gamedata config set baseUrl https://api.example.com --profile staging": "In a profile",
    },
  ),
  {
    name,
    value: argument("value", "Value, or - to read it from standard input (for secrets)"),
  },
  Effect.fnUntraced(function* ({ name: setting, value }) {
    const text = value === "-" ? (yield* readText("-")).trim() : value;
    if (text === "")
      return yield* failure("usage", `The value of ${setting} is empty.`, {
        next: `remove it with: gamedata config unset ${setting}`,
      });
    const problem = problemOf(setting, text);
    if (problem !== undefined)
      return yield* failure("setting-invalid", problem, { details: { setting } });
    // The file is read by every command from now on: it must hold what it promises.
    if (setting === "words")
      yield* (yield* checkModule).checkWords((yield* readJson(text)) as WordsInput);
    const changed = yield* edit(setting, (section) => ({ ...section, [setting]: text }));
    yield* print(changed, ({ file }) => `Set ${setting}${inProfile(changed)} in ${file}.`);
  }),
);

const unsetCommand = command(
  "unset",
  help("Remove a setting from the configuration file, or from a profile.", {
    "gamedata config unset contact": "The contact",
  }),
  { name },
  Effect.fnUntraced(function* ({ name: setting }) {
    const changed = yield* edit(setting, (section) =>
      Object.fromEntries(Object.entries(section).filter(([key]) => key !== setting)),
    );
    yield* print(changed, ({ file }) => `Removed ${setting}${inProfile(changed)} from ${file}.`);
  }),
);

/** Changes the section of the file that the command line selects; tells what was changed. */
const edit = Effect.fnUntraced(function* (
  setting: string,
  change: Parameters<typeof editSection>[2],
) {
  const { path, profile } = yield* configFile;
  yield* writeConfigFile(path, editSection(yield* readIfPresent(path), profile, change));
  return { setting, file: path, ...(profile !== undefined && { profile }) };
});

const inProfile = ({ profile }: { readonly profile?: string }) =>
  profile === undefined ? "" : ` for profile ${profile}`;

/** `gamedata config`. */
export const configCommand = commands("config", "Read and write the configuration file", [
  listCommand,
  getCommand,
  setCommand,
  unsetCommand,
]).pipe(connected);
