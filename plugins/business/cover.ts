import { node } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'
import { changeProfile, readProfile } from './profile.ts'

/** Uploads a picture and makes it the cover of the profile; returns its id. */
export async function setCover(session: LiveSession, picture: Buffer): Promise<string> {
  const { fbid, meta_hmac: token, ts } = await session.socket.uploadOpen(picture, 'biz-cover-photo')
  if (!fbid || !token || !ts) throw gatewayError('UPLOAD_FAILED', ['the answer has no id'])
  const id = String(fbid)
  const cover = node('cover_photo', { op: 'update', id, token, ts: String(ts) })
  await changeProfile(session, cover, 'set the cover picture')
  return id
}

/** Removes the cover, whichever device has set it: its id is in the profile. Rejects ITEM_UNKNOWN if there is none. */
export async function removeCover(session: LiveSession): Promise<void> {
  const { CoverPhotoID: id } = await readProfile(session, session.jid)
  if (!id) throw gatewayError('ITEM_UNKNOWN', ['Cover picture'])
  await changeProfile(session, node('cover_photo', { op: 'delete', id }), 'remove the cover picture')
}
