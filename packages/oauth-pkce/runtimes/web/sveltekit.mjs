// Signs in to a SvelteKit application: a production build of the recipe in
// docs/guides/web-sign-in.md, with the packed packages, against a sandbox. Throws when a step of the
// story ends differently.
import { join } from "node:path";
import { checkFramework, SIGN_IN } from "./story.mjs";

const DEPENDENCIES = {
  "@sveltejs/adapter-node": "6.0.1",
  "@sveltejs/kit": "3.2.0",
  "@sveltejs/vite-plugin-svelte": "7.3.1",
  svelte: "5.57.3",
  vite: "8.3.8",
};

const FILES = {
  "vite.config.js": `import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
const paths = { origin: process.env.APP_ORIGIN };
export default { plugins: [sveltekit({ adapter: adapter(), paths })] };
`,
  "src/app.html": `<!doctype html><html lang="en"><head>%sveltekit.head%</head>
<body>%sveltekit.body%</body></html>
`,
  "src/lib/signIn.js": SIGN_IN,
  "src/hooks.server.js": `import { signIn } from "./lib/signIn.js";
export const handle = async ({ event, resolve }) =>
  (await (await signIn()).handle(event.request)) ?? resolve(event);
`,
  "src/routes/me/+server.js": `import { signIn } from "../../lib/signIn.js";
const nameOf = (state) => (state._tag === "SignedIn" ? state.user.username : "nobody");
export const GET = async ({ cookies, request }) => {
  const { user } = await signIn();
  const names = [nameOf(await user(request)), nameOf(await user(cookies))];
  return new Response(names[0] === names[1] ? names[0] : names.join());
};
`,
  "src/routes/+page.svelte": `<a href="/auth/login?returnTo=/me" data-sveltekit-reload>Sign in</a>
`,
};

await checkFramework({
  dependencies: DEPENDENCIES,
  files: FILES,
  build: [join("node_modules", "vite", "bin", "vite.js"), "build"],
  environment: (port) => ({
    HOST: "127.0.0.1",
    PORT: `${port}`,
  }),
  start: () => ["build"],
});
