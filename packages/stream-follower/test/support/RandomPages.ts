/** Random pages, whole and damaged. */
import * as fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 } as const;
const character = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map((nth) => String.fromCodePoint(nth < SURROGATES.first ? nth : nth + SURROGATES.count));

/** Strings that could mislead a scan over bytes. */
const text = fc.oneof(
  fc.string(),
  // The unit `binary` of fast-check does the same, and takes a second for its table.
  fc.string({ unit: character }),
  fc.constantFrom(
    '"',
    "\\",
    '\\"',
    "}",
    "]",
    '"}],[{"',
    "items",
    "stashes",
    "\ud800",
    "\u0000",
    "é",
  ),
);
// V8 of Node 24 takes the key `\"` for `\` once an object with the key `\` was parsed, so
// JSON.parse is no oracle for keys that end with a backslash.
const key = fc.oneof(
  text.filter((name) => !name.endsWith("\\")),
  fc.constantFrom("id", "stashes", "items", "public", "next_change_id", "__proto__", "league"),
);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members) => ({ members })),
  ),
}));

/** An object as a list of members, so that keys may come twice and in any order. */
interface Members {
  readonly members: ReadonlyArray<readonly [string, unknown]>;
}

/** Writes a value with the spaces and escapes of `style`. */
const write = (value: unknown, style: Style): string => {
  const { newline, escape } = style;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const rows = (value as Members).members.map(
      ([name, member]) => `${quote(name, escape)}:${newline}${write(member, style)}`,
    );
    return `{${newline}${rows.join(`,${newline}`)}${newline}}`;
  }
  if (Array.isArray(value)) {
    return `[${newline}${value.map((one) => write(one, style)).join(`${newline},`)}${newline}]`;
  }
  if (typeof value === "string") return quote(value, escape);
  return JSON.stringify(value) ?? "null";
};
/** Spaces between tokens, and whether letters are escaped. */
interface Style {
  readonly newline: string;
  readonly escape: boolean;
}
const quote = (value: string, escape: boolean): string => {
  const json = JSON.stringify(value);
  return escape
    ? json.replaceAll(/[a-z{}[\]]/gu, (char, at: number) =>
        json[at - 1] === "\\" || /\\u[0-9a-f]{0,3}$/u.test(json.slice(Math.max(0, at - 5), at))
          ? char
          : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    : json;
};

const change = fc
  .record({
    id: text,
    public: fc.oneof(fc.boolean(), anything),
    items: fc.oneof(fc.array(anything, { maxLength: 4 }), anything),
    more: fc.array(fc.tuple(key, anything), { maxLength: 3 }),
  })
  .map(({ id, items, more, public: listed }) => ({
    members: [["id", id], ["public", listed], ...more, ["items", items]],
  }));
const page = fc
  .record({
    next: fc.oneof(text, anything),
    stashes: fc.array(fc.oneof({ arbitrary: change, weight: 5 }, anything), { maxLength: 4 }),
    before: fc.array(fc.tuple(key, anything), { maxLength: 2 }),
    after: fc.array(fc.tuple(key, anything), { maxLength: 2 }),
    isIdFirst: fc.boolean(),
  })
  .map(({ after, before, isIdFirst, next, stashes }) => {
    const own: ReadonlyArray<readonly [string, unknown]> = [
      ["next_change_id", next],
      ["stashes", stashes],
    ];
    return { members: [...before, ...(isIdFirst ? own : own.toReversed()), ...after] };
  });
const style = fc.record({
  newline: fc.constantFrom("", " ", "\n", "\r\n\t "),
  escape: fc.boolean(),
});

export const written = fc
  .tuple(page, style)
  .map(([value, how]): Uint8Array => Buffer.from(write(value, how)));

const piece = fc.constantFrom(...'{}[]\\",: \n', "\\\\", '\\"', "a", "]}", '"x":[{');

/** A page that was cut, or changed in places; or nothing but brackets, quotes and backslashes. */
export const damaged = fc.oneof(
  fc
    .tuple(written, fc.array(fc.tuple(fc.nat(), piece, fc.nat({ max: 2 })), { maxLength: 3 }))
    .map(([raw, changes]): Uint8Array => {
      let bytes = Buffer.from(raw);
      for (const [place, inserted, removed] of changes) {
        const at = place % (bytes.length + 1);
        const kept = bytes.subarray(Math.min(bytes.length, at + removed));
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(inserted), kept]);
      }
      return bytes;
    }),
  fc.tuple(written, fc.nat()).map(([raw, length]) => raw.subarray(0, length % (raw.length + 1))),
  fc
    .array(piece, { maxLength: 200 })
    .map((pieces): Uint8Array => Buffer.from(`{${pieces.join("")}`)),
);
