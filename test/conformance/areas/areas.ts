import type { Area } from './area.ts'
import { companions, offlineQueue, resume } from './connections.ts'
import { hostedAgain, hostedReader, hostedWriter } from './hosted.ts'
import { linkByCode, linkByQr } from './link.ts'
import { groups, media, textByLid, textByNumber, textOfPhone } from './messages.ts'
import { followedNewsletter, ownNewsletter } from './newsletters.ts'
import { firstContact, loginFields, pings, pulledQueue } from './ranked.ts'
import { appState } from './settings.ts'
import { calls, presence, receipts } from './signals.ts'

/** In the order in which they run. */
export const AREAS: readonly Area[] = [
  linkByQr,
  linkByCode,
  textByLid,
  textByNumber,
  textOfPhone,
  media,
  groups,
  receipts,
  presence,
  calls,
  appState,
  companions,
  offlineQueue,
  resume,
  followedNewsletter,
  ownNewsletter,
  hostedReader,
  hostedWriter,
  hostedAgain,
  loginFields,
  firstContact,
  pulledQueue,
  pings,
]
