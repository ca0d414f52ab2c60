/**
 * `gamedata config`: reads and writes the configuration file.
 */
import { argument } from "@game-data/terminal/flags";
import { command, commands } from "./command.ts";
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
  {
    about:
      "List the settings in force and where each comes from: a flag, the environment, a profile, the\nfile or a default. Secrets are hidden.",
    short: "List the settings and their sources",
    examples: {
      "gamedata config list": "All settings",
      "gamedata config list --profile staging": "With another profile",
    },
  },
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
  {
    about: "Print the value of a setting. Secrets are not printed.",
    short: "Print a setting",
    examples: { "gamedata config get baseUrl": "An address" },
  },
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
  {
    about:
      "Write a setting into the configuration file; with --profile into that profile, which is\ncreated if it does not exist. Only you can read the file.",
    short: "Write a setting",
    examples: {
      "gamedata config set clientId my-app": "The registered client",
      "gamedata config set clientSecret - < secret.txt":
        "A secret, without showing it in the process list",
      "gamedata config set baseUrl https://api.example.com --profile staging": "In a profile",
    },
  },
  {
    name,
    value: argument("value", "Value, or - to read it from standard input (for secrets)"),
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
);

const unsetCommand = command(
  "unset",
  {
    about: "Remove a setting from the configuration file, or from a profile.",
    short: "Remove a setting",
    examples: { "gamedata config unset contact": "The contact" },
  },
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
);

const inProfile = (profile: string | undefined) =>
  profile === undefined ? "" : ` for profile ${profile}`;

const written = (setting: string, path: string, profile: string | undefined) =>
  `Set ${setting}${inProfile(profile)} in ${path}.`;

const removed = (setting: string, path: string, profile: string | undefined) =>
  `Removed ${setting}${inProfile(profile)} from ${path}.`;

/** `gamedata config`. */
export const configCommand = commands("config", "Read and write the configuration file", [
  listCommand,
  getCommand,
  setCommand,
  unsetCommand,
]).pipe(connected);
