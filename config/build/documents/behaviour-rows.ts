/** A behaviour of WhatsApp that a client must meet. */
export interface BehaviourRow {
  /** What WhatsApp does. */
  readonly does: string
  /** Clients that do the same; with `~` in part. */
  readonly who: string
  /** What stock Baileys 7.0.0-rc14 does, as read in its code, or as `stockCase` shows. */
  readonly stock: string
  /** A test of the stock client. */
  readonly stockCase?: string
  /** Faults, actions and fields of the network that change it. */
  readonly switches?: readonly string[]
  /** What the gateway does not do of it; without a case, why there is none. */
  readonly missing?: string
}

const CONFORMANCE = 'plugins/sandbox/CONFORMANCE.md'
const TOKENS = 'test/plugins/sandbox/tokens.test.ts'

/**
 * Ranked by the harm to an account and the number of accounts. A test that shows a row has its name at the end of its
 * title: `(whatsapp/07)`. config/build/documents/behaviours.ts makes the table of plugins/sandbox/WHATSAPP.md from both.
 */
export const ROWS: Readonly<Record<number, BehaviourRow>> = {
  1: {
    does: 'Refuses old versions (405), also while linking; `sw.js` names the current one',
    who: 'ZP WR WM FZ',
    stock: 'sends the version of its release',
    switches: ['outdated', 'swjs', 'page', 'release'],
  },
  2: {
    does: 'Sends the offline queue in batches on request, then live stanzas; the rest after a cut [?]',
    who: 'WR ZP~',
    stock: 'requests one batch of 100',
    stockCase: CONFORMANCE,
    switches: ['pushQueue', 'cutQueue'],
  },
  3: {
    does: 'Seals edits under the secret of the message',
    who: 'WM ZP WR',
    stock: 'opens none',
    switches: ['legacyEdits', 'editForm'],
  },
  4: {
    does: "1:1 stanzas use the account's address space; else 400",
    who: 'WR WM',
    stock: 'uses the address of the caller',
    switches: ['lenientAddressing', 'action `migrate`'],
  },
  5: {
    does: 'Refuses a first contact without a token (463)',
    who: 'WM ZP WR',
    stock: 'has no token',
    stockCase: TOKENS,
    switches: ['lenientTokens', 'saltless', 'action `salt`'],
  },
  6: {
    does: 'A query tells 463 for a missing token from 463 for a locked account',
    who: 'WR~',
    stock: 'its branch for the lock is never reached',
    switches: ['timelock', 'messageCap'],
  },
  7: {
    does: 'Each message carries the timer of its chat',
    who: 'ZP',
    stock: 'only if passed by the caller, without its time',
    switches: ['oldClient'],
  },
  8: {
    does: 'The timer of a chat is learnt from any message; the newest setting wins',
    who: 'ZP',
    stock: 'stores none',
    switches: ['holdMessages'],
  },
  9: {
    does: 'EPHEMERAL_SETTING has a time and a mode',
    who: 'WM WR',
    stock: 'neither, and in a wrapper; phones drop it',
    switches: ['action `setTimer`'],
  },
  10: {
    does: 'AB props say how long a given token is valid (26 weeks)',
    who: 'WR ZP',
    stock: '4 weeks',
    switches: ['props', 'action `trust`'],
  },
  11: {
    does: "A message under its sender's other identity is opened with the existing session",
    who: 'WR ZP',
    stock: 'only if the stanza names both identities',
    switches: ['noAlternates', 'noLids'],
  },
  12: {
    does: 'Resends are limited per chat; too many lock the account (403)',
    who: 'WR',
    stock: 'limits them per message and device',
  },
  13: {
    does: 'A locked account (403) must not reconnect; a temporary ban (402) has a code and an end',
    who: 'WM WR',
    stock: 'passes on the code only',
    switches: ['failure'],
  },
  14: {
    does: 'Stream errors: 516 removed, 409 replaced, 429 too many logins; some have no code',
    who: 'WM WR',
    stock: 'knows no reason for 516, 409 and 429',
    switches: ['streamError'],
  },
  15: {
    does: 'Polls come as V1 and V3 to V6, and their votes are sealed',
    who: 'WM',
    stock: 'opens no votes, does not know V6',
    switches: ['action `poll`'],
  },
  16: {
    does: 'An ack with another `phash` means a changed device list; new devices get the message',
    who: 'WR',
    stock: 'ignores it',
    switches: ['quietDevices'],
  },
  17: {
    does: 'The own phone resends a message without content, even after 31 s',
    who: 'ZP WR',
    stock: 'forgets the request after 8 s',
    switches: ['unavailable', 'action `switchOff`'],
  },
  18: {
    does: 'The signed prekey is replaced every 27 days; messages under earlier ones still open',
    who: 'WR ZP',
    stock: 'never calls its function for it, which would drop the earlier key',
    switches: ['clock'],
  },
  19: {
    does: 'A login has `lc`, `lidDbMigrated` and the properties of a browser',
    who: 'ZP WR',
    stock: 'differs in several fields',
    stockCase: CONFORMANCE,
  },
  20: {
    does: "Clients ping at random after 15 to 30 s, and answer the network's pings",
    who: 'WM ZP WR',
    stock: 'pings at a fixed interval, answers none',
    stockCase: CONFORMANCE,
    switches: ['ping'],
  },
  21: {
    does: 'The history has the secrets for later edits and votes',
    who: 'WR',
    stock: 'does not keep them',
    switches: ['secretless'],
  },
  22: {
    does: "Reactions in a community's announcement group are sealed",
    who: 'WM ZP WR',
    stock: 'opens none',
  },
  23: {
    does: 'Answers to events are sealed, edits of events and polls too',
    who: 'WM WR ZP',
    stock: 'opens answers if `getMessage` has the event',
  },
  24: { does: 'Comments are sealed', who: 'WM WR', stock: 'opens none' },
  25: {
    does: 'Giving a token is answered empty; one is given per bucket',
    who: 'WR',
    stock: 'looks for tokens in the answer',
  },
  26: {
    does: 'Tokens also go with queries for presence, picture and about text, new group members, call offers and resends',
    who: 'ZP WM WR',
    stock: 'pictures and presence, for four weeks',
    switches: ['props', 'action `trust`'],
  },
  27: {
    does: 'AB props change what clients do, within `refresh`',
    who: 'ZP WR',
    stock: 'reads three',
    switches: ['props'],
  },
  28: {
    does: '`refresh_lid` on an ack: the LID of the recipient is outdated',
    who: 'WR',
    stock: 'ignores it',
    switches: ['refreshLid'],
  },
  29: {
    does: 'Sources of LIDs are ranked: a query overwrites what the history says',
    who: 'WR',
    stock: 'the last one wins',
    switches: ['staleHistory'],
  },
  30: {
    does: 'A signed list of key indexes names the valid devices; a new `rawId` ends all but the phone',
    who: 'WR WM',
    stock: 'reads it, and checks nothing',
    switches: ['action `renewKeyIndexes`'],
  },
  31: {
    does: 'Retry receipts have a reason, and in groups no `recipient`',
    who: 'WR ZP',
    stock: 'always the reason 0; repeats `recipient`',
  },
  32: {
    does: 'Status posts are `<status>` stanzas, repeated until acknowledged',
    who: 'WM WR',
    stock: 'has no handler',
    switches: ['legacyStatuses'],
  },
  33: {
    does: 'Announces the end of a version (`client_expiration`)',
    who: 'WR',
    stock: 'ignores it',
    switches: ['expires'],
  },
  34: {
    does: 'Each login is followed by bulletins: `thread_metadata`, `priority_offline_complete`, `tos`',
    who: 'ZP WR',
    stock: 'ignores them',
  },
  35: {
    does: 'Changed privacy settings are announced; one query answers a burst',
    who: 'ZP',
    stock: 'reads only blocks and the default timer',
    switches: ['action `setPrivacy`'],
  },
  36: {
    does: 'A number changes its owner; a contact has only a username',
    who: 'WM ZP',
    stock: 'reports members of groups whose number changes',
    switches: ['action `reassign`'],
  },
  37: {
    does: 'App state survives a poisoned snapshot and a missing key, by a request to the phone',
    who: 'ZP WR WM',
    stock: 'retries, then drops the collection',
    switches: ['spoilSettings', 'props', 'action `renewSettingsKey`', 'action `switchOff`'],
  },
  38: {
    does: 'View-once messages, newsletter cards and status posts have special attributes',
    who: 'WR ZP',
    stock: 'has none of them',
    switches: ['legacyViewOnce', 'lenientForms', 'action `open`'],
  },
  39: {
    does: 'A kept message does not disappear',
    who: 'WR',
    stock: 'passes it on unread',
    switches: ['action `keep`', 'clock'],
  },
  40: {
    does: 'New group members can get a bundle of its last 100 messages',
    who: 'ZP',
    stock: 'reads none',
    switches: ['`props`: 15313', 'action `shareHistory`'],
  },
  41: {
    does: 'The Cloud API writes as a hosted device (99) for a number also used in the app; messages to the account are encrypted for it too, except in groups',
    who: 'WM ZP WR~',
    stock:
      "encrypts for it and opens its messages; takes later companions for hosted, requests resends without keys, mistakes its number for the recipient's",
    switches: ['action `addHostedDevice`', 'action `removeHostedDevice`', 'action `writeFromHosted`'],
  },
  42: {
    does: 'Only the author edits or revokes a message, or a group admin revokes it',
    who: 'WM WR~ ZP~',
    stock: 'applies what the content says',
    switches: ['`Edit` of a message', 'lenientRevokes'],
  },
}
