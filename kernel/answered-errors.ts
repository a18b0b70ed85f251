import type { ExplainedErrorRow } from './types/errors.ts'

/** The errors that the kernel answers with. 4xx means that nothing was sent, 5xx that something may have been. */
export const ANSWERED = {
  BODY_UNREADABLE: [
    400,
    'Could not decode Payload: %s',
    {
      meaning: 'The body is not what the route reads.',
      cause:
        'The JSON is cut off or malformed, the text is not UTF-8, the Content-Type does not match, or the body is nested too deeply or has too many fields.',
      remedy: 'Send one valid JSON object.',
    },
  ],
  FIELD_MISSING: [
    400,
    'Missing %s in Payload',
    {
      meaning: 'A required field is absent.',
      cause: 'The field was not sent, or is `null` or empty, which counts as absent.',
      remedy: 'Add the field; the page of the endpoint lists the required ones.',
    },
  ],
  FIELD_UNKNOWN: [
    400,
    'Unknown field %s in Payload; known: %s',
    {
      meaning: 'The body or the query has a field that the route does not know.',
      cause:
        'The name is misspelled, belongs to another route, or is at the wrong level of the body. The routes for existing clients ignore such fields, except with `WAMUX_STRICT_BODIES=true` or `Prefer: handling=strict`.',
      remedy: 'Correct or remove the field.',
    },
  ],
  FIELD_INVALID: [
    400,
    'Invalid %s: %s',
    {
      meaning: 'A field has a value that the route does not accept.',
      cause:
        'The value has the wrong type, is too long, is outside the allowed range, or is not one of the listed values.',
      remedy: 'Correct the field by this rule.',
    },
  ],
  TARGET_INVALID: [
    400,
    'The request target must be a path that begins with exactly one "/" and has no "." or ".." segment',
    {
      meaning: 'The path of the request is malformed.',
      cause:
        'The path begins with more than one slash or contains `.` or `..`, usually because a base address that ends in a slash was joined with a path.',
      remedy:
        'Build the address from the origin and one path, for example `http://localhost:8080/send/text`.',
    },
  ],
  CLASS_UNKNOWN: [
    400,
    'Unknown event class %s; known here: %s',
    {
      meaning: 'A subscription names a class of events that no enabled plugin provides.',
      cause: 'The class is misspelled, or its plugin is switched off.',
      remedy: 'Use one of these classes, or enable the plugin that provides it.',
    },
  ],
  SESSION_AMBIGUOUS: [
    400,
    'Several sessions are named "%s": give the id',
    {
      meaning: 'Several sessions have the given name.',
      cause: 'Names of sessions need not be unique.',
      remedy: 'Give the id of the session instead; `GET /session/all` lists the ids.',
    },
  ],
  TOKEN_INVALID: [
    401,
    'invalid token',
    {
      meaning: 'The request has no valid session token or key.',
      cause:
        'The header `token` is missing or misspelled, the token was replaced, the key has expired or was revoked, or the session was deleted.',
      remedy: 'Send the token of the session in the header `token`, or as `Authorization: Bearer …`.',
    },
  ],
  ADMIN_INVALID: [
    401,
    'invalid admin token',
    {
      meaning: 'The request has no valid admin token.',
      cause: 'The header `admintoken` is missing, or has a session token or an outdated value.',
      remedy:
        'Send the value of `WAMUX_ADMIN_TOKEN`, or of the file `admin-token` in the data folder, in the header `admintoken`.',
    },
  ],
  SCOPE_MISSING: [
    403,
    'These credentials do not have the scope "%s", which %s requires',
    {
      meaning: 'The credentials do not allow this call.',
      cause: 'The key was created without the scope that the route requires.',
      remedy: "Use a key with this scope, or the session's token.",
    },
  ],
  TOKEN_HIDDEN: [
    403,
    'Tokens of sessions are not for keys: %s',
    {
      meaning: 'A key asked for something that would reveal or set the token of a session.',
      cause: 'Keys never see or set tokens, so that no key can extend its rights.',
      remedy: 'Leave the field out, or use the admin token.',
    },
  ],
  ORIGIN_REFUSED: [
    403,
    'Pages of %s may not connect here',
    {
      meaning: 'A page of another origin opened a WebSocket.',
      cause: 'The origin of the page is not in `WAMUX_CORS_ORIGINS`.',
      remedy: 'Add the origin to `WAMUX_CORS_ORIGINS` and restart, or connect from a server.',
    },
  ],
  ROUTE_UNKNOWN: [
    404,
    'Not found',
    {
      meaning: 'There is no route with this path.',
      cause: 'The path is misspelled, or the plugin that provides the route is not enabled.',
      remedy:
        '`details` names the route with the most similar path. Compare the path with the reference at `/docs`; enable the plugin with `WAMUX_PLUGINS` if it is missing there.',
    },
  ],
  SESSION_UNKNOWN: [
    404,
    'Session not found',
    {
      meaning: 'There is no session with this id or name.',
      cause: 'The session was deleted, or the value belongs to another gateway.',
      remedy: 'List the sessions with `GET /session/all`.',
    },
  ],
  ITEM_UNKNOWN: [
    404,
    '%s not found',
    {
      meaning: 'The thing that the request names does not exist.',
      cause: 'It was deleted, has expired, never existed, or is not visible with these credentials.',
      remedy: 'Check the id in the request.',
    },
  ],
  METHOD_UNKNOWN: [
    405,
    'Method not allowed',
    {
      meaning: 'The path exists, but not with this HTTP method.',
      cause: 'A GET was sent to a route that takes POST, or the reverse.',
      remedy: 'Use one of the methods in the header `Allow`.',
    },
  ],
  NO_CLIENT: [
    409,
    'No session',
    {
      meaning: 'The session has no connection at present.',
      cause:
        'It was never connected, was disconnected, or is reconnecting for longer than a call waits; `details` gives its state.',
      remedy:
        'Call `POST /session/connect`, or wait for the event `Connected` if the session is reconnecting.',
    },
  ],
  NOT_LOGGED_IN: [
    409,
    'not logged in',
    {
      meaning: 'The session is not linked to a phone.',
      cause: 'Its QR code was not scanned yet, or the phone removed the linked device.',
      remedy:
        'Link it: scan the code of `GET /session/qr`, or type the code of `POST /session/pair` into the phone.',
    },
  ],
  ALREADY_LOGGED_IN: [
    409,
    'Already Loggedin',
    {
      meaning: 'The session is already linked, so there is no QR code.',
      cause: 'A QR code was requested after linking had succeeded.',
      remedy: 'Use the session as it is. To link another account, call `POST /session/logout` first.',
    },
  ],
  ALREADY_PAIRED: [
    409,
    'Already paired',
    {
      meaning: 'The session is already linked, so there is no pairing code.',
      cause: 'A pairing code was requested after linking had succeeded.',
      remedy: 'Use the session as it is. To link another account, call `POST /session/logout` first.',
    },
  ],
  SESSION_EXISTS: [
    409,
    'Session already exists',
    {
      meaning: 'A session with this token or name exists.',
      cause: 'The same `POST /session/init` was sent twice, or the token is used by another session.',
      remedy: 'Use the existing session, or choose another token.',
    },
  ],
  OTHER_NETWORK: [
    409,
    'Session is linked on the network "%s" and can not be used on "%s"',
    {
      meaning: 'The session was linked on another network.',
      cause:
        'A session of the local network of `wamux sandbox` was opened by a gateway for WhatsApp, or the reverse.',
      remedy: "Start the gateway with the session's network, or link a new session.",
    },
  ],
  PASSKEY_REQUIRED: [
    409,
    'PASSKEY_REQUIRED: the account asks for its passkey; answer that first',
    {
      meaning: 'WhatsApp asks for the passkey of the account.',
      cause: 'The account is protected with a passkey, which linking must confirm.',
      remedy: 'Answer the request for the passkey (`GET /session/passkey`), then continue linking.',
    },
  ],
  BODY_TOO_LARGE: [
    413,
    'Payload too large: at most %s bytes',
    {
      meaning: 'The request body is larger than the gateway reads.',
      cause: 'A file was sent as base64 in JSON, or the limit is set lower than needed.',
      remedy: 'Send the file by address, upload it first, or raise `WAMUX_BODY_LIMIT`.',
    },
  ],
  UPGRADE_REQUIRED: [
    426,
    'This is a WebSocket: request it with "Upgrade: websocket"',
    {
      meaning: 'The route is a WebSocket, but the request is plain HTTP.',
      cause: 'A browser page or curl opened the address, or a reverse proxy removed the header `Upgrade`.',
      remedy: 'Connect with a WebSocket client; let the proxy pass on `Upgrade` and `Connection`.',
    },
  ],
  STREAMS_FULL: [
    429,
    'Too many open streams: %s may have %s',
    {
      meaning: 'The limit of open streams is reached.',
      cause: 'Clients open streams without closing them, or there are more clients than the limit allows.',
      remedy:
        'Close a stream or wait for `Retry-After` seconds; raise `WAMUX_MAX_STREAMS`, `WAMUX_MAX_STREAMS_PER_SESSION` or `WAMUX_MAX_STREAMS_PER_KEY` if all of them are needed.',
    },
  ],
  INTERNAL: [
    500,
    'Internal error',
    {
      meaning: 'The gateway failed in a way that it does not expect.',
      cause: 'A defect of the gateway or of a plugin.',
      remedy:
        'Search the log for the value of the header `X-Request-Id`, and report the line. Repeat a send only with the same `Id`.',
    },
  ],
  NETWORK_FAILED: [
    502,
    'Failed to %s: %s',
    {
      meaning: 'WhatsApp answered a request with an error.',
      cause: 'The text after the colon is the answer of WhatsApp; often it is temporary.',
      remedy:
        'Try again later; if it persists, check the values of the request against the account on the phone.',
    },
  ],
  NOT_OWNED: [
    503,
    'Another process serves this session',
    {
      meaning: 'Another process serves this session.',
      cause:
        'Several processes share the database, and the request reached one that does not hold the lease of the session.',
      remedy:
        'Repeat the request after `Retry-After` seconds; with the plugin cluster on every node, requests are forwarded.',
    },
  ],
  FENCED: [
    503,
    'Another process has taken over this session; nothing was written',
    {
      meaning: 'Another process took over the session during the request.',
      cause: 'This process lost the lease of the session, usually because it or its database stalled.',
      remedy: 'Repeat the request with the same `Id`; nothing was written.',
    },
  ],
  STOPPING: [
    503,
    'The gateway is stopping',
    {
      meaning: 'The gateway is shutting down.',
      cause: 'It was stopped or restarted while the request arrived.',
      remedy: 'Repeat the request after `Retry-After` seconds, when the gateway is up again.',
    },
  ],
  BUSY: [
    503,
    'Too many large requests at once; try again shortly',
    {
      meaning: 'The memory for large request bodies is in use.',
      cause: 'Many large bodies are being received at the same moment.',
      remedy:
        'Repeat the request after `Retry-After` seconds; send large files by address instead of in the body.',
    },
  ],
  PLUGIN_UNAVAILABLE: [
    503,
    'The plugin "%s" is not available: %s',
    {
      meaning: 'A plugin that the call needs is not running.',
      cause: 'It is optional and failed to start, is switched off, or the service behind it does not answer.',
      remedy:
        'Read the cause in the text and in `GET /server/plugins`; correct the settings of the plugin and restart.',
    },
  ],
  STORAGE_UNAVAILABLE: [
    503,
    'The database does not answer; try again shortly',
    {
      meaning: 'The database does not answer.',
      cause: 'PostgreSQL is down, restarting or unreachable.',
      remedy:
        'Repeat the request after `Retry-After` seconds. Sessions wait and reconnect automatically; check the database if it lasts.',
    },
  ],
  STORAGE_LOCKED: [
    503,
    'Another transaction holds the rows of this session; try again shortly',
    {
      meaning: 'The write waited too long for rows that another transaction holds.',
      cause:
        'Another node, or a program outside the gateway, has a transaction open on the rows of this session.',
      remedy:
        'Repeat the request after `Retry-After` seconds. If it lasts, `pg_stat_activity` shows which transaction holds them.',
    },
  ],
  STORAGE_FAILED: [
    507,
    'Storage is full or failing: %s',
    {
      meaning: 'The database can not write.',
      cause: 'The disk is full, read-only or failing, or the database has reached a limit.',
      remedy:
        'Free disk space or repair the storage. Sessions receive nothing meanwhile, lose nothing, and reconnect automatically.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>
