import { describe, expect, it } from "vitest";
import { ACCOUNT_SCOPES, openData, SERVICE_SCOPES, refusal } from "./harness.ts";

const sandbox = await openData();

/**
 * One path per scope and group; the exact mapping is not shown (NS-05), and this is the one that is
 * served.
 */
const PATHS: ReadonlyArray<readonly [path: string, scope: string]> = [
  ["/profile", "account:profile"],
  ["/item-filter", "account:item_filter"],
  ["/item-filter/anything", "account:item_filter"],
  ["/league", "service:leagues"],
  ["/league/Standard", "service:leagues"],
  ["/league/Standard/ladder", "service:leagues:ladder"],
  ["/league/Standard/event-ladder", "service:leagues:ladder"],
  ["/pvp-match", "service:pvp_matches"],
  ["/pvp-match/Swiss%20Cup%202", "service:pvp_matches"],
  ["/pvp-match/Swiss%20Cup%202/ladder", "service:pvp_matches:ladder"],
  ["/account/leagues", "account:leagues"],
  ["/character", "account:characters"],
  ["/character/Nobody", "account:characters"],
  ["/stash/Standard", "account:stashes"],
  ["/stash/Standard/0123456789", "account:stashes"],
  ["/league-account/Standard", "account:league_accounts"],
  ["/guild/stash/Standard", "account:stashes"],
  ["/guild/stash/Standard/0123456789", "account:stashes"],
  ["/public-stash-tabs", "service:psapi"],
  ["/currency-exchange", "service:cxapi"],
];

describe("access to data", () => {
  it.each(PATHS)("%s without a token is refused with 401 [DA-01] [NS-20]", async (path) => {
    const { body, headers, status } = await sandbox.request(path, undefined);
    expect(status).toBe(401);
    expect(body.error.code).toBe(8);
    expect(headers.get("www-authenticate")).toMatch(/^Bearer/u);
  });

  it("the data API accepts a token only as bearer in the Authorization header [DA-02]", async () => {
    expect((await sandbox.get("/profile")).status).toBe(200);
    const inUrl = await sandbox.request(`/profile?access_token=${sandbox.user}`, undefined);
    const headers = { authorization: `Basic ${sandbox.user}` };
    const basic = await sandbox.request("/profile", undefined, { headers });
    expect([inUrl.status, basic.status]).toEqual([401, 401]);
  });

  it("the data API returns the data of the account that the token identifies [DA-03]", async () => {
    const other = await sandbox.token(ACCOUNT_SCOPES, 3);
    const [mine, theirs] = [await sandbox.get("/profile"), await sandbox.get("/profile", other)];
    expect(mine.body.uuid).toBe(sandbox.accounts[0]!.uuid);
    expect(theirs.body.uuid).toBe(sandbox.accounts[3]!.uuid);
    const names = async (token: string) =>
      (await sandbox.read("/character", token)).characters.map((one: any) => one.name);
    expect(await names(sandbox.user)).not.toEqual(await names(other));
  });

  it.each(PATHS)(
    "%s needs the scope %s [DA-08] [DA-09] [DA-23] [DA-40] [DA-50] [DA-51] [DA-56] [DA-63] [ST-02] [CX-02] [ER-02] [NS-05] [NS-29]",
    async (path, scope) => {
      const all = [...SERVICE_SCOPES, ...ACCOUNT_SCOPES];
      const alone = await sandbox.token([scope]);
      const others = await sandbox.token(all.filter((one) => one !== scope));
      expect([200, 404]).toContain((await sandbox.get(path, alone)).status);
      const refused = await sandbox.get(path, others);
      expect(refusal(refused)).toEqual([403, 6]);
      expect(refused.headers.get("www-authenticate")).toContain(`scope="${scope}"`);
    },
  );
});
