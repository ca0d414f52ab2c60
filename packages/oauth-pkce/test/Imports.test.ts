/** The modules that an import loads. */
import { join } from "node:path";
import { build } from "esbuild";
import { assert, it } from "vitest";

it.each(["index.ts", "Session.ts", "promise/index.ts"])(
  "%s takes light modules of the contract, and no platform code",
  async (entry) => {
    const { metafile } = await build({
      entryPoints: [join(import.meta.dirname, "../src", entry)],
      bundle: true,
      format: "esm",
      // A Node module in the graph is an error here.
      platform: "browser",
      external: ["effect", "effect/*"],
      treeShaking: false,
      write: false,
      metafile: true,
    });
    const ofTheContract = Object.keys(metafile.inputs).filter((file) => file.includes("contract/"));
    for (const file of ofTheContract)
      assert.match(
        file,
        /contract\/src\/(Lifetimes|Scope|SecureUrl|UserAgent|failure|taggedFailure|PlainFailure|retryAfter|ConfigurationInvalid)\.ts$/,
      );
  },
);
