/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("the entries of the package export exactly the names of the snapshot", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./AuthorizedClient: make
    ./Errors: AccessDenied AuthorizationFailed CallbackMalformed CodeExpired
      ConfigurationInvalid ConsentExpired InsufficientScope InvalidClient InvalidGrant
      InvalidScope IssuerMismatch LoopbackListenFailed NotSignedIn OAuthResponseMalformed
      OAuthTransportError RequestRejected ServerUnavailable StateMismatch TokenStoreFailed
      UnexpectedRedirect
    ./OAuthClient: checkRedirectUri confidentialClient publicClient
    ./PkceFlow: PENDING_LIFETIME_MILLIS PendingAuthorization authorizationUrl checkCallback
      codeChallenge deserialize exchange makeState makeVerifier serialize start
      validateCallback
    ./Session: forApplication forUser isTokenRefused
    ./conformance: tokenStoreLaws
    ./node/promise: drainOnSignals keychainKey openBrowser openFileStore openReceiver
      signInDesktop signedIn toNode
    ./node: FileStore LoopbackReceiver keychainKey openBrowser signIn toNode
    ./postgres: migrate migrations postgresStore removeExpired
    ./promise: AccessDenied AuthorizationFailed CallbackMalformed CodeExpired
      ConfigurationInvalid ConsentExpired InsufficientScope InvalidClient InvalidGrant
      InvalidScope IssuerMismatch LoopbackListenFailed NotSignedIn OAuthResponseMalformed
      OAuthTransportError RequestRejected ServerUnavailable StateMismatch TokenSet
      TokenStoreFailed UnexpectedRedirect authorizedFetch createConfidentialOAuth
      createPublicOAuth deserializePending memoryStore reveal safeReturnTo sealedStore
      serializePending sessionPool
    ./redis: fromBun fromIoredis fromNodeRedis redisStore
    ./sealer: makeSealer sealed
    ./web: createSignIn toNext
    .: AccessDenied AuthorizationFailed CallbackMalformed CodeExpired ConfigurationInvalid
      ConsentExpired InsufficientScope InvalidClient InvalidGrant InvalidScope IssuerMismatch
      LoopbackListenFailed NotSignedIn OAuthClient OAuthResponseMalformed OAuthTransportError
      PkceFlow RequestRejected ServerUnavailable Session SessionPool StateMismatch TokenCall
      TokenRequest TokenSet TokenStore TokenStoreFailed UnexpectedRedirect safeReturnTo"
  `);
});
