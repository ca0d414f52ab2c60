/**
 * `--replay DIR`: the answers of a folder that `game-data-sandbox record` wrote.
 *
 * The manifest is the only index, and a request has the answers that were recorded for it, in turn,
 * and then the last one. Nothing is joined, sliced or guessed: what was not recorded is answered
 * with 404, or by the generated world where that is asked for. A request needs the same token and
 * scopes as ever. A file of no use is left out and named with the reason.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import { ROUTES } from "../contract.ts";
import { parseJson } from "../internal/encoding.ts";
import {
  type Answer,
  type LeftOut,
  MANIFEST,
  MANIFEST_VERSION,
  type Recording,
  requestName,
} from "./Manifest.ts";

const MOST_UNRECORDED = 100;

/** Reads a recording. Throws an `Error` that says why a folder is none. */
export const openRecording = (
  folder: string,
  missing: "refuse" | "world" = "refuse",
): Recording => {
  const leftOut: Array<LeftOut> = [];
  const answers = new Map<string, Array<string>>();
  let served = 0;
  for (const [index, answer] of answersIn(folder).entries()) {
    const reason = unusable(folder, answer);
    if (reason !== undefined) {
      const file = typeof answer?.file === "string" ? answer.file : `answers/${index}`;
      leftOut.push({ file, reason });
      continue;
    }
    const name = requestName(answer.endpoint, answer.parameters);
    answers.set(name, [...(answers.get(name) ?? []), join(folder, answer.file)]);
    served += 1;
  }
  const turns = new Map<string, number>();
  const absent = new Map<string, number>();
  return {
    served,
    leftOut,
    unrecorded: () => Object.fromEntries(absent),
    find: ({ endpoint, params, query }) => {
      const name = requestName(endpoint, { ...params, ...query });
      const files = answers.get(name);
      if (files !== undefined) {
        const turn = turns.get(name) ?? 0;
        turns.set(name, turn + 1);
        return { bytes: readFileSync(files[Math.min(turn, files.length - 1)]!) };
      }
      if (absent.has(name) || absent.size < MOST_UNRECORDED)
        absent.set(name, (absent.get(name) ?? 0) + 1);
      return missing === "world" ? "world" : "unrecorded";
    },
  };
};

const answersIn = (folder: string): ReadonlyArray<Answer> => {
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST), "utf8");
  } catch (cause) {
    throw new Error(`${folder} is no recording: ${(cause as Error).message}`, { cause });
  }
  let manifest: { readonly version?: unknown; readonly answers?: unknown } | null;
  try {
    manifest = JSON.parse(text) as typeof manifest;
  } catch (cause) {
    throw new Error(`${MANIFEST} of ${folder}: ${(cause as Error).message}`, { cause });
  }
  if (manifest?.version !== MANIFEST_VERSION || !Array.isArray(manifest.answers))
    throw new Error(
      `${MANIFEST} of ${folder} is not of version ${MANIFEST_VERSION}: record it again`,
    );
  return manifest.answers as ReadonlyArray<Answer>;
};

/** The reason for which an answer cannot be served, if there is one. */
const unusable = (folder: string, answer: Partial<Answer> | null): string | undefined => {
  const { endpoint, file, parameters, sha256, status } = answer ?? {};
  if (typeof file !== "string" || typeof sha256 !== "string" || !isParameters(parameters))
    return "its line in the manifest is not whole";
  if (status !== 200) return "it is no answer 200";
  if (endpoint === undefined || !Object.hasOwn(ROUTES, endpoint))
    return "the manifest names an endpoint that there is not";
  if (isAbsolute(file) || normalize(file).startsWith("..")) return "it lies outside of the folder";
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, file));
  } catch {
    return "the manifest names it, and it cannot be read";
  }
  if (hash("sha256", bytes, "hex") !== sha256) return "it has changed since it was recorded";
  return parseJson(bytes.toString()) === undefined ? "it is not JSON" : undefined;
};

const isParameters = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
