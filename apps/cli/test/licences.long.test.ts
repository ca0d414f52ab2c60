import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { describe, expect, it } from "vitest";

const scripts = join(import.meta.dirname, "../scripts");
// Plain scripts of the build, without types.
const { options, root } = await import(join(scripts, "bundle.mjs"));
const { billOf, licencesOf } = await import(join(scripts, "../../../scripts/bill.mjs"));

describe("the licences and the bill of materials of the bundle", () => {
  it("are of every package in it, with their texts", async () => {
    const { metafile } = await build({
      ...(options as BuildOptions),
      entryPoints: [join(root, "src/main.ts")],
      outdir: join(tmpdir(), "unwritten"),
      splitting: true,
      metafile: true,
      write: false,
    });
    const text = licencesOf(metafile);
    const bundled = Object.keys(metafile!.inputs).flatMap(
      (file) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(file)?.[1] ?? [],
    );
    for (const name of new Set(bundled)) expect(text).toContain(`${name}@`);
    for (const name of ["undici", "jose", "@nats-io/jetstream", "effect"])
      expect(new Set(bundled)).toContain(name);
    expect(text).toContain("Copyright (c) Matteo Collina and Undici contributors");
    expect(text).not.toContain("@game-data/");
    const bill = JSON.parse(billOf(metafile, { name: "x", version: "1.0.0" }, { node: "26.0.0" }));
    const names = bill.components.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining([...new Set(bundled), "@game-data/contract", "node"]),
    );
    expect(new Set(bill.components.map((each: object) => JSON.stringify(each))).size).toBe(
      names.length,
    );
  });

  /** What is said of a package with a licence and files, in a bundle that holds it. */
  const saidOf = (license: string | undefined, files: Readonly<Record<string, string>>) => {
    const folder = mkdtempSync(join(tmpdir(), "licences-"));
    const planted = join(folder, "node_modules/planted");
    mkdirSync(planted, { recursive: true });
    const manifest = JSON.stringify({ name: "planted", version: "1.0.0", license });
    for (const [name, text] of Object.entries({ "package.json": manifest, ...files }))
      writeFileSync(join(planted, name), text);
    try {
      return licencesOf({ inputs: { "node_modules/planted/dist/index.js": {} } }, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const LICENSE = "Permission is hereby granted. ".repeat(10);

  it.each([
    undefined,
    "SEE LICENSE IN X",
    "SEE LICENSE IN LICENSE",
    "UNLICENSED",
    "MTI",
    "GPL-3.0",
  ])("refuse a package whose licence is %s, whatever files it has", (license) => {
    expect(() => saidOf(license, { LICENSE })).toThrow(`its licence is ${license}`);
  });

  it.each([{}, { LICENSE: "" }, { LICENSE: "See the file LICENSE." }, { NOTICE: LICENSE }])(
    "refuse a package without the text of its licence: %j",
    (files) => {
      expect(() => saidOf("MIT", files)).toThrow(
        "planted@1.0.0 must not be bundled: it has no text",
      );
    },
  );

  it("take the licence and the notice of a package that has both", () => {
    const text = saidOf("Apache-2.0", { "LICENSE-APACHE.md": LICENSE, "NOTICE.txt": "Of ours." });
    expect(text).toMatch(/^planted@1\.0\.0\n=+\n\nApache-2\.0[^]*hereby granted[^]*Of ours\./u);
  });
});
