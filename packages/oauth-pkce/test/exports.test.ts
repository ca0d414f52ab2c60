/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("exports these names from each entry", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./Errors: AccessDenied AuthorizationFailed CallbackMalformed CodeExpired
      ConfigurationInvalid ConsentExpired InsufficientScope InvalidClient InvalidGrant
      InvalidScope IssuerMismatch LoopbackListenFailed NotSignedIn OAuthResponseMalformed
      OAuthTransportError RequestRejected ServerUnavailable StateMismatch TokenStoreFailed
      UnexpectedRedirect
    ./OAuthClient: checkRedirectUri confidentialClient publicClient
    ./PkceFlow: authorizationUrl exchange start validateCallback
    ./Session: forApplication forUser
    ./conformance: tokenStoreLaws
    ./node/promise: drainOnSignals keychainKey openBrowser openFileStore openReceiver
      signInDesktop signedIn toNode
    ./node: FileStore LoopbackReceiver keychainKey openBrowser signIn toNode
    ./postgres: listKeys migrate migrations postgresStore removeExpired
    ./promise: AccessDenied AuthorizationFailed CallbackMalformed CodeExpired
      ConfigurationInvalid ConsentExpired InsufficientScope InvalidClient InvalidGrant
      InvalidScope IssuerMismatch LoopbackListenFailed NotSignedIn OAuthResponseMalformed
      OAuthTransportError RequestRejected ServerUnavailable StateMismatch TokenSet
      TokenStoreFailed UnexpectedRedirect authorizedFetch createConfidentialOAuth
      createPublicOAuth deserializePending memoryStore reveal safeReturnTo sealedStore
      serializePending sessionPool
    ./redis: fromBun fromIoredis fromNodeRedis listKeys redisStore
    ./sealer: makeSealer resealAll sealed
    ./web: createSignIn toNext userGrantKey
    .: AccessDenied AuthorizationFailed AuthorizedClient CallbackMalformed ClientCredentials
      CodeExpired ConfigurationInvalid ConsentExpired InsufficientScope Introspection
      InvalidClient InvalidGrant InvalidScope IssuerMismatch LoopbackListenFailed NotSignedIn
      OAuthClient OAuthHttpClient OAuthResponseMalformed OAuthTransportError
      PendingAuthorization Pkce PkceFlow RefreshGrant RequestRejected Revocation
      ServerUnavailable Session SessionPool StateMismatch TokenSet TokenStore TokenStoreFailed
      UnexpectedRedirect safeReturnTo"
  `);
});
