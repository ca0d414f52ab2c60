// Signs in to a Next application: a production build of the recipe in docs/guides/web-sign-in.md,
// with the packed packages, against a sandbox. Throws when a step of the story ends differently.
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkFramework, SIGN_IN } from "./story.mjs";

const DEPENDENCIES = { next: "16.4.6", react: "19.2.7", "react-dom": "19.2.7" };

const ROUTES = `import { toNext } from "@game-data/oauth-pkce/web";
import { signIn } from "PATH/lib/signIn.js";
export const { GET, HEAD, POST } = toNext(signIn);
`;

const FILES = {
  "lib/signIn.js": SIGN_IN,
  "app/auth/[...all]/route.js": ROUTES.replace("PATH", "../../.."),
  "app/callback/route.js": ROUTES.replace("PATH", "../.."),
  "app/me/route.js": `import { signIn } from "../../lib/signIn.js";
export const GET = async (request) => {
  const state = await (await signIn()).user(request);
  return new Response(state._tag === "SignedIn" ? state.user.username : "nobody");
};
`,
  // A server component has no request.
  "app/component/page.js": `import { cookies, headers } from "next/headers";
import { signIn } from "../../lib/signIn.js";
const nameOf = (state) => (state._tag === "SignedIn" ? state.user.username : state._tag);
export default async function Page() {
  // First of all: it tells Next that the page is made for each request.
  const inputs = [await headers(), await cookies()];
  const { user } = await signIn();
  const names = [nameOf(await user(inputs[0])), nameOf(await user(inputs[1]))];
  return <p>{names.join()}</p>;
}
`,
  "app/layout.js": `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
  "app/page.js": `export default function Page() {
  return <a href="/auth/login?returnTo=/me">Sign in</a>;
}
`,
};

const next = join("node_modules", "next", "dist", "bin", "next");
process.env.NEXT_TELEMETRY_DISABLED = "1";
await checkFramework({
  dependencies: DEPENDENCIES,
  files: FILES,
  build: [next, "build"],
  start: (port) => [next, "start", "--port", `${port}`, "--hostname", "127.0.0.1"],
  more: async (browser, name) => {
    const page = await (await browser.visit("/component")).text();
    assert.ok(page.includes(`${name},${name}`));
  },
});
