/**
 * The configuration file: an object of strings, and `profiles`, which are objects of strings by
 * name. `profile` names the one that is used by default.
 */
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { failure } from "@game-data/terminal/Failure";
import { readJson } from "@game-data/terminal/Input";
import { Effect } from "effect";
import { attemptToWrite } from "../output/outputFile.ts";
import { isSettingName, SETTINGS } from "./names.ts";

type Section = Readonly<Record<string, string>>;

/** The content of a configuration file. */
export interface ConfigFile {
  /** Settings of every profile. */
  readonly common: Section;
  readonly profiles: Readonly<Record<string, Section>>;
  /** The selected profile. */
  readonly profile: string | undefined;
}

/** A file that sets nothing. */
export const EMPTY_FILE: ConfigFile = { common: {}, profiles: {}, profile: undefined };

/** Reads a file. `selected` overrides the file's own `profile`; the profile must exist. */
export const readConfigFile = Effect.fnUntraced(function* (
  path: string,
  selected: string | undefined,
) {
  const value = yield* readJson(path);
  if (!isObject(value)) return yield* malformed(path);
  const { profile = selected, profiles = {}, ...common } = value;
  if (!isObject(profiles)) return yield* malformed(`${path}, profiles,`);
  if (profile !== undefined && typeof profile !== "string")
    return yield* malformed(`${path}, profile,`);
  yield* checkSection(path, common);
  for (const [name, section] of Object.entries(profiles))
    yield* checkSection(`${path}, profile ${name},`, section);
  const wanted = selected ?? profile;
  if (wanted !== undefined && !Object.hasOwn(profiles, wanted))
    return yield* failure("setting-invalid", `${path} has no profile ${wanted}.`, {
      next: `add it to the file's "profiles", or choose one of: ${Object.keys(profiles).join(", ") || "(none)"}`,
      details: { setting: "profile" },
    });
  return { common, profiles, profile: wanted } as ConfigFile;
});

/** Reads a file that may be absent. */
export const readIfPresent = (path: string, selected?: string) =>
  existsSync(path) ? readConfigFile(path, selected) : Effect.succeed(EMPTY_FILE);

/** Changes the common section of a file, or the selected profile's. */
export const editSection = (
  file: ConfigFile,
  profile: string | undefined,
  change: (section: Section) => Section,
): ConfigFile =>
  profile === undefined
    ? { ...file, common: change(file.common) }
    : {
        ...file,
        profiles: { ...file.profiles, [profile]: change(file.profiles[profile] ?? {}) },
      };

/** Replaces a file. Only its owner can read it, because it may hold a secret. */
export const writeConfigFile = Effect.fnUntraced(function* (
  path: string,
  { common, profile, profiles }: ConfigFile,
) {
  const content = {
    ...common,
    ...(profile !== undefined && { profile }),
    ...(Object.keys(profiles).length > 0 && { profiles }),
  };
  // Imported when it is needed: most commands write no setting.
  const { replaceFileWith } = yield* Effect.promise(
    () => import("@game-data/contract/node/replaceFile"),
  );
  yield* attemptToWrite(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFileWith(path, `${JSON.stringify(content, undefined, 2)}\n`);
  });
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const checkSection = (where: string, section: unknown) => {
  if (!isObject(section) || !Object.values(section).every((each) => typeof each === "string"))
    return malformed(where);
  const unknown = Object.keys(section).find((key) => !isSettingName(key));
  return unknown === undefined
    ? Effect.void
    : Effect.fail(
        failure("setting-invalid", `${where} has an unknown key: ${unknown}.`, {
          next: `the keys are ${SETTINGS.join(", ")}, profile and profiles`,
        }),
      );
};

const malformed = (where: string) =>
  Effect.fail(
    failure("setting-invalid", `${where} is not an object of strings.`, {
      next: 'write it as {"authUrl": "…", "baseUrl": "…", "clientId": "…", "profiles": {"other": {"clientId": "…"}}}',
    }),
  );
