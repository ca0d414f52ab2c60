/**
 * `gamedata config`: reads and writes the configuration file.
 */
import type { WordsInput } from "@game-data/contract";
import { failure } from "@game-data/terminal/Failure";
import { readJson, readText } from "@game-data/terminal/Input";
import { print, printLine, printList } from "@game-data/terminal/Output";
import { table } from "@game-data/terminal/View";
import { Effect, Redacted } from "effect";
import { Argument, Command } from "effect/cli";
import { editSection, readIfPresent, writeConfigFile } from "../config/file.ts";
import { problemOf, SECRETS, SETTINGS } from "../config/names.ts";
import { configFile, connected, settings } from "../config/Settings.ts";

const checkModule = Effect.promise(() => import("../session/connect.ts"));

const name = Argument.Literals("name", SETTINGS).pipe(
  Argument.withDescription(`Name of the setting: ${SETTINGS.join(", ")}`),
);

const listCommand = Command.make(
  "list",
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
).pipe(
  Command.withDescription(
    "List the settings in force and where each comes from: a flag, the environment, a profile, the\nfile or a default. Secrets are hidden.",
  ),
  Command.withShortDescription("List the settings and their sources"),
  Command.withExamples([
    { command: "gamedata config list", description: "All settings" },
    { command: "gamedata config list --profile staging", description: "With another profile" },
  ]),
);

const getCommand = Command.make(
  "get",
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
).pipe(
  Command.withDescription("Print the value of a setting. Secrets are not printed."),
  Command.withShortDescription("Print a setting"),
  Command.withExamples([{ command: "gamedata config get baseUrl", description: "An address" }]),
);

const setCommand = Command.make(
  "set",
  {
    name,
    value: Argument.String("value").pipe(
      Argument.withDescription("Value, or - to read it from standard input (for secrets)"),
    ),
  },
  Effect.fnUntraced(function* ({ name: setting, value }) {
    const { path, profile } = yield* configFile;
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
    const file = yield* readIfPresent(path);
    yield* writeConfigFile(
      path,
      editSection(file, profile, (section) => ({ ...section, [setting]: text })),
    );
    yield* print({ setting, file: path, ...(profile !== undefined && { profile }) }, () =>
      written(setting, path, profile),
    );
  }),
).pipe(
  Command.withDescription(
    "Write a setting into the configuration file; with --profile into that profile, which is\ncreated if it does not exist. Only you can read the file.",
  ),
  Command.withShortDescription("Write a setting"),
  Command.withExamples([
    { command: "gamedata config set clientId my-app", description: "The registered client" },
    {
      command: "gamedata config set clientSecret - < secret.txt",
      description: "A secret, without showing it in the process list",
    },
    {
      command: "gamedata config set baseUrl https://api.example.com --profile staging",
      description: "In a profile",
    },
  ]),
);

const unsetCommand = Command.make(
  "unset",
  { name },
  Effect.fnUntraced(function* ({ name: setting }) {
    const { path, profile } = yield* configFile;
    const file = yield* readIfPresent(path);
    yield* writeConfigFile(
      path,
      editSection(file, profile, (section) =>
        Object.fromEntries(Object.entries(section).filter(([key]) => key !== setting)),
      ),
    );
    yield* print({ setting, file: path, ...(profile !== undefined && { profile }) }, () =>
      removed(setting, path, profile),
    );
  }),
).pipe(
  Command.withDescription("Remove a setting from the configuration file, or from a profile."),
  Command.withShortDescription("Remove a setting"),
  Command.withExamples([{ command: "gamedata config unset contact", description: "The contact" }]),
);

const inProfile = (profile: string | undefined) =>
  profile === undefined ? "" : ` for profile ${profile}`;

const written = (setting: string, path: string, profile: string | undefined) =>
  `Set ${setting}${inProfile(profile)} in ${path}.`;

const removed = (setting: string, path: string, profile: string | undefined) =>
  `Removed ${setting}${inProfile(profile)} from ${path}.`;

/** `gamedata config`. */
export const configCommand = Command.make("config").pipe(
  Command.withDescription("Read and write the configuration file"),
  Command.withSubcommands([listCommand, getCommand, setCommand, unsetCommand]),
  connected,
);
