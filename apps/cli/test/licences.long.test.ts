import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { describe, expect, it } from "vitest";

const scripts = join(import.meta.dirname, "../scripts");
// Plain scripts of the build, without types.
const { options, root } = await import(join(scripts, "bundle.mjs"));
const { billOf } = await import(join(scripts, "../../../scripts/bill.mjs"));
const { licencesOf } = await import(join(scripts, "licences.mjs"));

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

  it.each([undefined, "SEE LICENSE IN X", "UNLICENSED"])("refuse a package with %s", (license) => {
    const folder = mkdtempSync(join(tmpdir(), "licences-"));
    const secret = join(folder, "node_modules/secret");
    mkdirSync(secret, { recursive: true });
    writeFileSync(
      join(secret, "package.json"),
      JSON.stringify({ name: "secret", version: "1.0.0", license }),
    );
    const inputs = { "node_modules/secret/index.js": {} };
    expect(() => licencesOf({ inputs }, folder)).toThrow("secret has no licence");
    rmSync(folder, { recursive: true });
  });
});
