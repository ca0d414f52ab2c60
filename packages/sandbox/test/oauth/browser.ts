/** A browser of few words: keeps cookies, reads forms, follows nothing by itself. */
import type { TestSandbox } from "./harness.ts";

/** A form of a page: where it leads, and its hidden fields. */
export interface PageForm {
  readonly action: string;
  readonly fields: Record<string, string>;
}

/** The forms of a page by their action. */
export const formsOf = (markup: string): ReadonlyArray<PageForm> =>
  [...markup.matchAll(/<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/gu)].map(
    ([, action = "", inner = ""]) => ({
      action,
      fields: Object.fromEntries(
        [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" \/>/gu)].map(
          ([, name = "", value = ""]) => [name, value],
        ),
      ),
    }),
  );

/** Opens a browser in front of a sandbox. */
export const openBrowser = (sandbox: TestSandbox) => {
  let cookie: string | undefined;
  const keep = (response: Response): Response => {
    for (const line of response.headers.getSetCookie()) cookie = line.split(";")[0];
    return response;
  };
  const headers = (): Record<string, string> => (cookie === undefined ? {} : { cookie });
  const get = async (path: string): Promise<Response> =>
    keep(await sandbox.get(path.startsWith("/") ? `${sandbox.authUrl}${path}` : path, headers()));
  const post = async (
    path: string,
    form: Record<string, string>,
    extra: Record<string, string> = {},
  ): Promise<Response> => keep(await sandbox.post(path, form, { ...headers(), ...extra }));

  /** Signs in on a sign-in page; answers the response of the page that follows. */
  const signIn = async (page: string, account = "Emberlyn#4071"): Promise<Response> => {
    const form = formsOf(page).find(({ action }) => action === "/sign-in");
    const answer = await post("/sign-in", { ...form?.fields, account });
    return get(answer.headers.get("location") ?? "");
  };

  /** Opens an authorization URL, signs in, and answers the consent page with its form. */
  const openConsent = async (url: string, account?: string) => {
    const first = await (await get(url)).text();
    const markup = first.includes('action="/sign-in"')
      ? await (await signIn(first, account)).text()
      : first;
    const form = formsOf(markup).find(({ action }) => action === "/oauth/consent");
    if (form === undefined) throw new Error("no consent form");
    return { markup, form };
  };

  const decide = (form: PageForm, decision: "allow" | "deny", extra?: Record<string, string>) =>
    post("/oauth/consent", { ...form.fields, decision }, extra);

  return {
    get,
    post,
    signIn,
    openConsent,
    decide,
    cookie: () => cookie,
    setCookie: (value: string | undefined) => {
      cookie = value;
    },
  };
};
