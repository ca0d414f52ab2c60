/** The sign-in as route handlers of Next's app router. */
import type { SignIn } from "./SignIn.ts";

/** Handlers to export from `route.ts`. */
export interface NextRoutes {
  readonly GET: (request: Request) => Promise<Response>;
  readonly HEAD: (request: Request) => Promise<Response>;
  readonly POST: (request: Request) => Promise<Response>;
}

/**
 * Makes the handlers: `export const { GET, HEAD, POST } = toNext(signIn)`, in
 * `app/auth/[...all]/route.ts` and in the route of the callback's path.
 *
 * Keep the sign-in on `globalThis`: Next may bundle route files apart. Link to the login with
 * `<a>`.
 */
export const toNext = (signIn: Pick<SignIn, "handle">): NextRoutes => {
  const route = async (request: Request) =>
    (await signIn.handle(request)) ?? new Response(null, { status: 404 });
  return { GET: route, HEAD: route, POST: route };
};
