/** The session linked to the shop's phone. */
export const SESSION = 'demo'

/** Accounts and objects named in the examples of the interface. */
export const SHOP = { phone: '5511955555555', name: 'Shop', business: true } as const
export const ANA = { phone: '5511999999999', name: 'Ana' } as const
export const BRUNO = { phone: '5511988888888', name: 'Bruno' } as const

export const TEAM = '120363041234567890@g.us'
export const STREET = '120363049876543210@g.us'
/** For the example that leaves a group. */
export const OLD = '120363042222222222@g.us'
export const VILLAGE = '120363047777777777@g.us'
/** Ana's group, for the example that joins by invite code. */
export const CHOIR = { jid: '120363043333333333@g.us', invite: 'HfKQ5PmU3DmBDJvL0XzWrC' } as const
export const NEWS = { jid: '120363171234567890@newsletter', invite: '0029VaAbCdEfGhIjKlMnOp1Q' } as const

/** The shop's own newsletters, the second for the example that gives it away, and Ana's that it is invited to administer. */
export const OWN_NEWS = { jid: '120363172222222222@newsletter', invite: '0029VaBcDeFgHiJkLmNoPq2R' } as const
export const MARKET = { jid: '120363173333333333@newsletter', invite: '0029VaCdEfGhIjKlMnOpQr3S' } as const
export const FESTIVAL = { jid: '120363174444444444@newsletter', invite: '0029VaDeFgHiJkLmNoPqRs4T' } as const

export const BREAD = '7042371865887654'
/** For the example that deletes a product. */
export const CAKE = '6912345678901234'
export const ORDER = { id: '1234567890123456', token: 'AR5vZW1hOUxMUjU2' } as const
export const LABEL = { id: '3', name: 'Paid' } as const
export const QUICK_REPLY = { id: '1764201600', shortcut: 'hours', message: 'We open at seven' } as const

/** Ids of messages that the session sent to Ana, and that she sent to it. */
export const SENT = '3EB0F4A1C2D3E4F5A6B7C8'
export const RECEIVED = '3A1B2C3D4E5F60718293'
/** 2030-12-24: the begin of the events, and the end of the invitation. */
export const STARTS = 1_924_362_000

/** Ana's group, to which she invites the shop by a message. */
export const BAND = { jid: '120363044444444444@g.us', name: 'Band', code: 'T3XqWmUeR1ybAcVd' } as const
/** Ana's poll and event, a message of hers that disappears, and an event of the session. */
export const POLL = '3A1B2C3D4E5F60718298'
export const EVENT = '3A1B2C3D4E5F60718299'
export const FLEETING = '3A1B2C3D4E5F6071829A'
export const INVITATION = '3A1B2C3D4E5F6071829B'
export const OWN_EVENT = '3EB0F4A1C2D3E4F5A6B7C9'
/** Status posts: one of Ana's, and one of the session. */
export const POST = '3A1B2C3D4E5F60718260'
export const OWN_POST = '3EB0F4A1C2D3E4F5A6B7D0'
export const RECEIVED_FILES = {
  image: '3A1B2C3D4E5F60718294',
  video: '3A1B2C3D4E5F60718295',
  audio: '3A1B2C3D4E5F60718296',
  document: '3A1B2C3D4E5F60718297',
} as const
