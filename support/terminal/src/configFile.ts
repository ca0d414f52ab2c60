/**
 * The configuration file: an object of strings, and profiles, which are objects of strings with a
 * name.
 */
import { Effect } from "effect";
import { failure } from "./Failure.ts";
import { readJson } from "./Input.ts";

/** The keys that a file and its profiles may have. */
export const KEYS: ReadonlyArray<string> = [
  "authUrl",
  "baseUrl",
  "clientId",
  "clientSecret",
  "redirectUri",
  "contact",
  "maxWait",
  "words",
  "token",
  "tokens",
];

/** What a file says: for everybody, and in the profile that was asked for. */
interface ConfigFile {
  readonly common: Readonly<Record<string, string>>;
  readonly profile: Readonly<Record<string, string>>;
}

/** Reads a file. A profile that was asked for must be there. */
export const readConfig = Effect.fnUntraced(function* (path: string, profile: string | undefined) {
  const value = yield* readJson(path);
  const { profiles = {}, ...common } = isObject(value) ? value : { "": 0 };
  if (!isObject(profiles)) return yield* unusable(path, "profiles");
  yield* check(path, common);
  for (const [name, section] of Object.entries(profiles))
    yield* check(`${path}, profile ${name},`, section);
  if (profile === undefined) return { common, profile: {} } as ConfigFile;
  if (!Object.hasOwn(profiles, profile))
    return yield* failure("setting-invalid", `${path} has no profile ${profile}.`, {
      next: `write it into the file's "profiles", or choose one of: ${Object.keys(profiles).join(", ") || "(none)"}`,
      details: { setting: "profile" },
    });
  return { common, profile: profiles[profile] } as ConfigFile;
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const check = (where: string, section: unknown) => {
  if (!isObject(section) || !Object.values(section).every((each) => typeof each === "string"))
    return unusable(where);
  const unknown = Object.keys(section).find((key) => !KEYS.includes(key));
  return unknown === undefined
    ? Effect.void
    : Effect.fail(
        failure("setting-invalid", `${where} has a key that means nothing: ${unknown}.`, {
          next: `the keys are ${KEYS.join(", ")}, and profiles of them by name`,
        }),
      );
};

const unusable = (where: string, member?: string) =>
  Effect.fail(
    failure(
      "setting-invalid",
      `${where} is no object of strings${member === undefined ? "" : ` by name (${member})`}.`,
      {
        next: 'write it as {"authUrl": "…", "baseUrl": "…", "clientId": "…", "profiles": {"other": {"clientId": "…"}}}',
      },
    ),
  );
