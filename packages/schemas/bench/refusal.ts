/**
 * The time of a refusal with its explanation, beside `JSON.parse` of the same text and ajv: bodies
 * that are wrong from the start, a plausible change of the service, and faults at the end.
 * `safeDecode` names ten places, and ajv stops at the first one.
 */
import type { Contender } from "./peers.ts";

const MAX_SOCKETS = 31;

const repeated = (element: string, bytes: number): string =>
  `{"next_change_id":"1","stashes":[${Array.from({ length: Math.floor(bytes / (element.length + 1)) }, () => element).join()}]}`;

const ITEM =
  '{"verified":true,"w":1,"h":1,"icon":"","name":"","typeLine":"","baseType":"","identified":true,"ilvl":1}';

const pageOf = (items: string): string =>
  `{"next_change_id":"1","stashes":[{"id":"a","public":true,"stashType":"","items":[${items}]}]}`;

const nested = (item: string, levels: number): string =>
  levels === 0 ? item : nested(`${ITEM.slice(0, -1)},"socketedItems":[${item}]}`, levels - 1);

/** A body that is refused. */
export interface HostileBody {
  readonly name: string;
  readonly text: string;
}

/** The bodies; `page` is a good page of 5 MB. */
export const hostileBodies = (page: string): ReadonlyArray<HostileBody> => [
  ...["{}", "null", "1", '{"id":1}'].map((element) => ({
    name: `5 MB of ${element}`,
    text: repeated(element, 5_000_000),
  })),
  {
    name: "a member renamed on every item of 5 MB",
    text: page.replaceAll('"ilvl":', '"level":'),
  },
  {
    name: "the last of 40,000 items",
    text: pageOf(`${`${ITEM},`.repeat(40_000)}${ITEM.replace('"w":1', '"w":"1"')}`),
  },
  {
    name: "the last of 600,000 strings, 31 items deep",
    text: pageOf(
      nested(`${ITEM.slice(0, -1)},"utilityMods":[${'"a",'.repeat(600_000)}1]}`, MAX_SOCKETS),
    ),
  },
];

/** CPU milliseconds: the best of `rounds`. */
const cpuOf = (work: () => unknown, rounds: number): number => {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    work();
    const { system, user } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
};

/** The times of one body, by contender; a contender that throws anything else than a refusal fails. */
export const timesOf = (
  text: string,
  contenders: Readonly<Record<string, Contender>>,
): Readonly<Record<string, number>> => {
  const value: unknown = JSON.parse(text);
  const refusal = (check: Contender) => () => {
    try {
      check(value);
    } catch {
      return;
    }
    throw new Error("a bad body was accepted");
  };
  return {
    "JSON.parse": cpuOf(() => JSON.parse(text) as unknown, 5),
    ...Object.fromEntries(
      Object.entries(contenders).map(([name, check]) => [
        name,
        cpuOf(refusal(check), name.startsWith("ours") ? 5 : 1),
      ]),
    ),
  };
};
