/**
 * Every case that `vectors/tree-link.json` might hold: links of all shapes, each edit of short
 * links at several places, and links with one wrong member. `select.ts` chooses among them.
 */
import { encode, safeDecode, type TreeLink } from "@game-data/tree-link";
import type { VectorCase, VectorLink } from "@game-data/tree-link/fuzz";
import { EDITS, wrongLinks } from "../../src/internal/choices.ts";
import { TINY } from "../../src/internal/edits.ts";
import { EMPTY4, EMPTY5, EMPTY6, padded, some, streamOf, unpadded } from "./bytes.ts";
import { FIVE, FOUR, SIX, soundLinks } from "./soundLinks.ts";

/** A case, and the family of which the file takes one member after the other. */
export interface Candidate {
  readonly family: string;
  readonly one: VectorCase;
}

const LONG_LIST = 40;

const numberOf = (entry: unknown): number =>
  typeof entry === "number" ? entry : ((entry as { node?: number } | null)?.node ?? Number.NaN);

/** The link with its long lists as runs. */
const compact = (link: VectorLink): VectorLink =>
  Object.fromEntries(
    Object.entries(link).map(([name, value]) => {
      if (!Array.isArray(value) || value.length < LONG_LIST) return [name, value];
      const first = numberOf(value[0]);
      const step = (numberOf(value[1]) - first + 65_536) % 65_536;
      const isRun = value.every((entry, i) => {
        const expected = (first + i * step) % 65_536;
        if (name !== "masteries") return entry === expected;
        const { effect, node } = entry as { effect: number; node: number };
        return node === expected && effect === 65_535 - expected;
      });
      if (!isRun) throw new Error(`${name}: a long list must be a run`);
      return [name, { count: value.length, first, step }];
    }),
  );

const sound = (): ReadonlyArray<Candidate> =>
  soundLinks().flatMap(([flag, family, note, link]) => {
    const payload = padded(streamOf(link));
    const shared = { id: "", flags: [flag], note, link: compact({ ...link }) };
    const both: VectorCase = { ...shared, direction: "both", payload, result: "valid" };
    const text = unpadded(streamOf(link));
    if (text === payload || text.length > 200) return [{ family, one: both }];
    const open: VectorCase = {
      ...shared,
      flags: ["padding"],
      note: "Without padding: the specification is silent.",
      direction: "decode",
      payload: text,
      result: "acceptable",
    };
    return [
      { family, one: both },
      { family: `padding-${text.length % 4}`, one: open },
    ];
  });

/** Short links to edit, so that each length modulo 4 and each version is there. */
const CARRIERS: ReadonlyArray<TreeLink> = [
  SIX,
  FOUR,
  EMPTY6,
  FIVE,
  EMPTY4,
  { ...SIX, masteries: [], class: 6, hashes: [64_511, 65_470, 4_090] },
];

/** Long links: some platforms' decoders read them otherwise than short ones, to their end. */
const LONG_CARRIERS: ReadonlyArray<TreeLink> = [61, 62].map((count) => ({
  ...EMPTY6,
  hashes: some(count),
}));

const editsOf = (link: TreeLink) =>
  LONG_CARRIERS.includes(link) ? EDITS.filter(({ flag }) => flag === "tail") : EDITS;

const edited = (): ReadonlyArray<Candidate> => {
  const seen = new Set<string>();
  return [...CARRIERS, ...LONG_CARRIERS].flatMap((link, turn) => {
    const canonical = padded(streamOf(link));
    const payloads = [canonical, unpadded(streamOf(link))];
    return editsOf(link).flatMap((edit) =>
      payloads.flatMap((payload) =>
        [11, 0, payload.length, 4, 14, turn].flatMap((at): ReadonlyArray<Candidate> => {
          const text = edit.apply(payload, at);
          if (seen.has(text)) return [];
          seen.add(text);
          const result = safeDecode(text);
          // What is a link after all has its own cases, unless it is one by a hair.
          if (result.ok) return [];
          const { offset, reason } = result.error;
          const note = `${edit.note}${at === 0 ? ", at the start" : at === payload.length ? ", at the end" : ""}.`;
          return [
            {
              family: `edit-${EDITS.indexOf(edit)}`,
              one: {
                id: "",
                flags: [edit.flag],
                note,
                direction: "decode",
                payload: text,
                result: "invalid",
                reason,
                offset,
              },
            },
          ];
        }),
      ),
    );
  });
};

const tiny = (): ReadonlyArray<Candidate> =>
  TINY.map((payload, i) => {
    const result = safeDecode(payload);
    if (result.ok) throw new Error(`${payload} is a link`);
    const { offset, reason } = result.error;
    const note = `${payload.length} characters that are no link.`;
    const shared = { id: "", flags: ["text"] as const, note, payload, reason, offset };
    return { family: `tiny-${i}`, one: { ...shared, direction: "decode", result: "invalid" } };
  });

const wrong = (): ReadonlyArray<Candidate> =>
  [EMPTY6, EMPTY4, EMPTY5, SIX, FOUR, FIVE].flatMap((base) =>
    wrongLinks(base).flatMap(({ field, link, note }): ReadonlyArray<Candidate> => {
      // What JSON leaves out is left out here too.
      const json = JSON.parse(JSON.stringify(compact(link)));
      try {
        encode(link as unknown as TreeLink);
        return [];
      } catch (error) {
        const { offset, reason } = error as { offset: number; reason: VectorCase["reason"] & {} };
        const one: VectorCase = {
          id: "",
          flags: ["encode-refused"],
          note: `In version ${base.version}, ${note}.`,
          direction: "encode",
          link: json,
          result: "invalid",
          reason,
          offset,
        };
        return [{ family: `${field}-${note}`, one }];
      }
    }),
  );

/** All candidates. */
export const candidates = (): ReadonlyArray<Candidate> => [
  ...sound(),
  ...tiny(),
  ...edited(),
  ...wrong(),
];
