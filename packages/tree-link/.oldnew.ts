const O = "/work/wt/base/packages/tree-link/src",
  N = "/work/wt/tree/packages/tree-link/src";
const load = async (r: string) =>
  Object.assign(
    {},
    ...(await Promise.all(
      [
        "index",
        "Url",
        "Convert",
        "Compare",
        "Layout",
        "Partial",
        "Passives",
        "Text",
        "ClassNames",
      ].map((n) => import(`${r}/${n}.ts`)),
    )),
  );
const o = await load(O),
  n = await load(N);
const { nearlyPayload, payload, link, nearlyInput } = await import(O + "/Arbitrary.ts");
const { HOSTILE_PARTS, megabyteOf } =
  await import("/work/wt/base/packages/tree-link/bench/hostileTexts.ts");
const fc = (
  await import(
    "/work/wt/base/packages/tree-link/node_modules/fast-check/lib/fast-check.js" as string
  ).catch(() => import("fast-check"))
).default;
const { readFileSync } = await import("node:fs");
const counts: Record<string, number> = {};
const diffs: any[] = [];
const sorted = (v: any): any =>
  v instanceof Uint8Array
    ? [...v]
    : Array.isArray(v)
      ? v.map(sorted)
      : v instanceof Error
        ? { ...sorted({ ...v }), m: v.message, n: v.name }
        : typeof v === "object" && v !== null
          ? Object.fromEntries(
              Object.keys(v)
                .sort()
                .map((k) => [k, sorted(v[k])]),
            )
          : v;
const show = (v: any): any => (v instanceof Uint8Array ? [...v] : v);
const run = (f: any, args: any[]) => {
  try {
    return JSON.stringify({ v: sorted(f(...args)) }, (k, v) =>
      v instanceof Uint8Array
        ? [...v]
        : v instanceof Error
          ? { ...v, m: v.message, c: String(v.cause), n: v.name }
          : v === undefined
            ? "__u"
            : typeof v === "number" && !Number.isFinite(v)
              ? String(v)
              : typeof v === "bigint" || typeof v === "symbol"
                ? String(v)
                : v,
    );
  } catch (e: any) {
    return JSON.stringify({ e: { ...e, m: e.message, n: e.name, s: /\n {4}at /.test(e.stack) } });
  }
};
const cmp = (name: string, ...args: any[]) => {
  counts[name] = (counts[name] ?? 0) + 1;
  const a = run(o[name], args),
    b = run(n[name], args);
  if (a !== b)
    diffs.push([name, JSON.stringify(args)?.slice(0, 120), a.slice(0, 300), b.slice(0, 300)]);
};
const S = (a: any, num: number, seed: number) => fc.sample(a, { numRuns: num, seed });
const near: string[] = S(nearlyPayload, 4000, 11),
  good: string[] = S(payload, 1500, 12),
  bin: string[] = S(fc.string({ unit: "binary", maxLength: 60 }), 1500, 13);
const samples = JSON.parse(readFileSync("/work/shared/wire-samples/tree-links.json", "utf8"));
const urls = JSON.parse(readFileSync(N + "/../vectors/urls.json", "utf8")).cases.map(
  (c: any) => c.text,
);
const vec = JSON.parse(
  readFileSync("/work/wt/base/packages/tree-link/vectors/tree-link.json", "utf8"),
).cases;
const texts = [
  ...near,
  ...good,
  ...good.map((t) => t.replace(/=+$/, "")),
  ...bin,
  ...samples.map((s: any) => s.payload),
  ...vec.flatMap((c: any) => c.payload ?? []),
];
for (const t of texts) {
  cmp("decode", t);
  cmp("safeDecode", t);
  cmp("safeDecode", t, { maxLength: 20 });
  cmp("decodePartial", t);
  cmp("repair", t);
  cmp("extractPayload", t);
  cmp("decodeUrl", t, { lenient: true });
  cmp("findLinks", t);
  cmp("layout", t);
  const r = o.safeDecode(t);
  if (!r.ok) cmp("explain", r.error);
  else {
    cmp("summary", r.link);
    cmp("fieldRows", o.layout(t));
    for (const v of [4, 5, 6]) {
      cmp("losses", r.link, v);
      cmp("convert", r.link, v, { allowLoss: true });
      cmp("convert", r.link, v);
    }
  }
}
const links: any[] = S(link, 2500, 14);
let prev = links[0];
for (const l of links) {
  cmp("encode", l);
  cmp("encode", l, { padding: false });
  cmp("encodeBytes", l);
  cmp("encode", l, { maxLength: 40 });
  cmp("compare", prev, l);
  const bytes = o.encodeBytes(l);
  cmp("decodeBytes", bytes);
  cmp("decodeBytes", bytes.subarray(0, bytes.length - 1));
  cmp("decodeBytes", new Uint8Array([...bytes, 0]));
  const c = o.compare(prev, l);
  cmp("diffLines", c);
  cmp("isSame", c);
  cmp("formatLosses", o.losses(l, 4));
  cmp(
    "fromPassives",
    {
      hashes: l.hashes,
      hashes_ex: l.extendedHashes,
      mastery_effects: Object.fromEntries((l.masteries ?? []).map((m: any) => [m.node, m.effect])),
      alternate_ascendancy: l.alternateAscendancy,
    },
    { class: l.class },
  );
  prev = l;
}
for (const w of S(nearlyInput, 4000, 15) as any[]) {
  cmp("encode", w);
  cmp("encodeBytes", w);
  cmp("summary", w);
  cmp("losses", w, 6);
  cmp("compare", w, links[0]);
  cmp("compare", links[0], w);
}
for (const a of S(fc.anything(), 1500, 16) as any[]) {
  for (const f of [
    "encode",
    "decode",
    "decodeBytes",
    "extractPayload",
    "findLinks",
    "repair",
    "decodePartial",
    "classId",
    "fromCharacter",
    "summary",
    "explain",
    "isSame",
    "formatLosses",
    "fieldRows",
    "diffLines",
  ])
    cmp(f, a);
}
const passives = { hashes: [1, 2], hashes_ex: [3], mastery_effects: { "4": 5 } };
for (const c of [
  {},
  { realm: "game2" },
  { passives: null },
  { class: "Necromancer" },
  { class: 7 },
  { passives: { ...passives, hashes: Array(256).fill(1) } },
])
  cmp("fromCharacter", { class: "Witch", realm: "pc", passives, ...c });
const wrap = [
  "see U.",
  "(U)",
  "<U>",
  "[x](U)",
  "_U_",
  "U, U",
  '{"u":"U"}',
  "q=U&x=1",
  "https://r.example/?to=E&u=E",
  "U%3D",
  "a/U",
  "//www.example.com/U",
  "www.example.com/passive-skill-tree/U",
  "https://u:p@www.example.com/passive-skill-tree/U",
  "HTTPS://www.example.com/fullscreen-atlas-skill-tree/3.1.0/ruthless/U?accountName=x#y",
];
for (const t of [...good.slice(0, 150), ...near.slice(0, 150)])
  for (const w of wrap) {
    const text = w
      .replaceAll("U", () => t)
      .replaceAll("E", () => encodeURIComponent("https://www.example.com/passive-skill-tree/" + t));
    cmp("findLinks", text);
    cmp("findLinks", text, { lenient: true });
    cmp("extractPayload", text);
    cmp("extractPayload", text, { lenient: true });
  }
for (const u of [...urls, ...samples.map((s: any) => s.url).filter(Boolean)]) {
  cmp("extractPayload", u);
  cmp("findLinks", u);
  cmp("findLinks", `text ${u} and more`, { lenient: true });
}
for (const p of HOSTILE_PARTS) {
  const t = megabyteOf(p).slice(0, 65536);
  cmp("findLinks", t);
  cmp("extractPayload", t);
}
for (const opts of [
  { base: "https://a.b" },
  {
    base: "https://a.b/x/",
    tree: "atlas",
    variant: "ruthless",
    gameVersion: "3.26.0",
    isFullscreen: true,
  },
  { base: "x" },
  { base: "https://a.b", tree: "z" },
])
  for (const p of good.slice(0, 50)) cmp("buildUrl", p, opts);
console.log(
  Object.values(counts).reduce((a, b) => a + b, 0),
  counts,
);
const groups: Record<string, any[]> = {};
for (const d of diffs) (groups[d[0]] ??= []).push(d);
for (const [k, v] of Object.entries(groups)) {
  console.log("DIFF", k, v.length);
  for (const d of v.slice(0, 4)) console.log("   ", d.slice(1).join("\n      "));
}
