import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeTemplates } from "../scripts/templates.ts";
import { create, RefusedInput } from "../src/create.ts";

const work = fs.mkdtempSync(join(tmpdir(), "create-"));
const templates = join(work, "templates");
const run = (args: ReadonlyArray<string>, agent?: string) =>
  create(args, { templates, npm_config_user_agent: agent });
const manifestOf = (folder: string) =>
  JSON.parse(fs.readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly dependencies: Readonly<Record<string, string>>;
  };

/** The program, copied beside the templates: the package's own folder has templates after a build only. */
const program = join(work, "src/main.ts");
beforeAll(() => {
  writeTemplates(templates);
  fs.cpSync(join(import.meta.dirname, "../src"), join(work, "src"), { recursive: true });
  fs.writeFileSync(join(work, "package.json"), '{ "type": "module" }');
});
afterAll(() => fs.rmSync(work, { recursive: true }));

describe("create", () => {
  it("create copies each template with the folder's name, a .gitignore and version ranges", () => {
    const names = fs.readdirSync(templates);
    expect(names.toSorted()).toEqual(
      ["axios", "errors", "index", "terminal", "test", "tree-link", "web", "words"].toSorted(),
    );
    for (const template of names) {
      const folder = join(work, `My ${template}`);
      run([folder, "--template", template]);
      expect(fs.readdirSync(folder).toSorted()).toEqual(
        [".gitignore", "README.md", "package.json", "src", "test", "tsconfig.json"].toSorted(),
      );
      const { dependencies, name } = manifestOf(folder);
      expect(name).toBe(`my-${template}`);
      for (const range of Object.values(dependencies)) expect(range).toMatch(/^\^\d/);
    }
  });

  it("create prints the next steps for the package manager, and a package name without accents", () => {
    const folder = join(work, "Ünï-Tool");
    expect(run([folder, "--template", "words"], "pnpm/12.21.0 npm/?")).toMatch(
      /^uni-tool: [^]+cd '.*Ünï-Tool'\n {2}pnpm install\n {2}pnpm run dev\n {2}pnpm test$/,
    );
    expect(manifestOf(folder).name).toBe("uni-tool");
  });

  it("create says how to build the templates if a clone has none", () => {
    expect(() => create([], { templates: join(work, "missing") })).toThrow(/create build$/);
  });

  it("create ignores the -- that pnpm passes on, and quotes a folder for the shell", () => {
    const folder = join(work, "a&b $(x)");
    const text = run([folder, "--", "--template", "words"]);
    expect(text).toMatch(/cd '.*a&b \$\(x\)'\n/);
  });

  it("create accepts a folder that contains only .git", () => {
    const folder = join(work, "repository");
    fs.mkdirSync(join(folder, ".git"), { recursive: true });
    run([folder, "--template=words"]);
    expect(fs.existsSync(join(folder, "src/main.ts"))).toBe(true);
  });

  it("create refuses a folder that is not empty, and writes nothing", () => {
    const folder = join(work, "full");
    fs.mkdirSync(folder);
    fs.writeFileSync(join(folder, "notes.txt"), "mine");
    expect(() => run([folder, "--template", "index"])).toThrow(/is not empty: it has notes\.txt/);
    expect(fs.readdirSync(folder)).toEqual(["notes.txt"]);
  });

  it.each([
    [[], /Name the new folder[\s\S]+ {2}index /],
    [["x"], /Name a template[\s\S]+ {2}index /],
    [["x", "--template", "../../etc"], /no template[\s\S]+ {2}index /],
    [["x", "--template"], /--template/],
    [["", "--template", "web"], /Name the new folder/],
    [["x", "y", "--template", "web"], /One folder, not 2/],
    // The arguments that remain of `npm create @game-data x --template web`: npm takes the option.
    [["x", "web"], /npm passes --template on only behind a "--"/],
    [["x", "--tempalte", "web"], /^Unknown option --tempalte/],
    [["x", "-t", "web"], /^Unknown option -t\./],
    [["x", "--template", "nope"], /no template "nope"\.\n/],
    [["…", "--template", "web"], /gives no name for a package/],
    [["node_modules", "--template", "web"], /"node_modules" gives no name for a package/],
  ])("create refuses the arguments %j", (args, message) => {
    expect(() => run(args)).toThrow(RefusedInput);
    expect(() => run(args)).toThrow(message);
  });

  it("create refuses a path that is a file, is below a file or is a broken link", () => {
    fs.writeFileSync(join(work, "file"), "");
    for (const path of ["file", "file/sub"])
      expect(() => run([join(work, path), "--template", "web"])).toThrow(/is a file, or in one/);
    fs.symlinkSync("nowhere", join(work, "dangling"));
    expect(() => run([join(work, "dangling"), "--template", "web"])).toThrow(RefusedInput);
  });

  it.each(["18.20.8", "20.20.2", "22.18.0"])("npm create exits with 78 on Node %s", (version) => {
    // Names would be linked before anything runs: an old Node lacks some.
    expect(fs.readFileSync(program, "utf8")).not.toMatch(/^import .* from "\./mu);
    const old = `Object.defineProperty(process, "versions", { value: { node: "${version}" } })`;
    const loader = ["--import", `data:text/javascript,${encodeURIComponent(old)}`];
    const args = [...loader, program, join(work, "old"), "--template", "web"];
    expect(spawnSync(process.execPath, args, { encoding: "utf8" })).toMatchObject({
      status: 78,
      stdout: "",
      stderr: `@game-data/create needs Node 22.19 or later; this is Node ${version}.\n`,
    });
    expect(fs.existsSync(join(work, "old"))).toBe(false);
  });

  it("npm create without arguments exits with 64 and its usage, and needs no network", () => {
    const env = { ...process.env, npm_config_registry: "http://127.0.0.1:1/" };
    const { status, stderr, stdout } = spawnSync(process.execPath, [program], {
      encoding: "utf8",
      env,
    });
    expect({ status, stdout }).toEqual({ status: 64, stdout: "" });
    expect(stderr).toMatch(/^Name the new folder/);
  });
});
