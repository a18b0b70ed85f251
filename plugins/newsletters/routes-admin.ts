import { Done, file, LENGTHS, Recipient, SAMPLES, Sent } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { aboutPerson, acceptAdmin, inviteAdmin, removePicture, setPicture } from './administer.ts'
import { infoOf } from './requests.ts'
import { JID } from './routes.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets' | 'sender' | 'media'>

const example = { JID: '120363172222222222@newsletter' }
/** An admin of another own one. */
const admin = { JID: '120363173333333333@newsletter', Phone: '5511999999999' }
/** Who is no admin yet. */
const other = { ...example, Phone: '5511988888888' }

/** What owners and admins of newsletters do; posts are edited and deleted by `/message/edit` and `/message/delete`. */
export const adminRoutes = <D extends Deps>(r: RouteBuilder<D>) => {
  const onPerson = (
    path: string,
    query: 'revokeInvite' | 'changeOwner' | 'demote',
    {
      summary,
      description,
      verb,
      Details,
    }: { summary: string; description: string; verb: string; Details: string },
  ) =>
    r.post(path, {
      leaves: ['group'],
      isDestructive: true,
      summary,
      description,
      example: query === 'revokeInvite' ? other : admin,
      body: T.Object({ JID, Phone: { ...Recipient, aliases: ['Number'] } }),
      errors: ['ITEM_UNKNOWN'],
      response: Done,
      async handle({ body, session }, { targets }) {
        const who = await targets.resolveUser(session, body.Phone)
        await aboutPerson(session, query, { id: targets.toNewsletter(body.JID), person: who }, verb)
        return { Details }
      },
    })

  return [
    r.post('/newsletter/photo', {
      leaves: ['group'],
      summary: 'Set the picture of a newsletter; it is cropped to a square',
      example: { ...example, Image: SAMPLES.picture },
      description: 'JPEG, PNG or WebP; cropped to a square of at most 640 pixels.',
      body: T.Object({ JID, Image: file('The picture') }),
      errors: ['ITEM_UNKNOWN'],
      response: Done,
      async handle({ body, session }, { targets, media }) {
        const id = targets.toNewsletter(body.JID)
        await setPicture(session, id, await media.of(session.id).photo('Image', body.Image))
        return { Details: 'Newsletter photo set' }
      },
    }),
    r.post('/newsletter/photo/remove', {
      leaves: ['group'],
      isDestructive: true,
      summary: 'Remove the picture of a newsletter',
      description: 'Only its owner and admins may.',
      example,
      body: T.Object({ JID }),
      errors: ['ITEM_UNKNOWN'],
      response: Done,
      async handle({ body, session }, { targets }) {
        await removePicture(session, targets.toNewsletter(body.JID))
        return { Details: 'Newsletter photo removed' }
      },
    }),
    r.post('/newsletter/admin/invite', {
      leaves: ['group'],
      summary: 'Invite a person to administer a newsletter',
      description:
        'Only its owner may. The person gets a message with the invitation, which ends after some days.',
      example: { ...other, Caption: 'Will you help with the news?' },
      scope: 'send',
      body: T.Object({
        JID,
        Phone: { ...Recipient, aliases: ['Number'] },
        Caption: T.Optional(T.String({ maxLength: LENGTHS.text, description: 'Text of the message' })),
      }),
      errors: ['ITEM_UNKNOWN'],
      response: Sent,
      async handle(request, { targets, sender }) {
        const { session, body } = request
        const newsletterJid = targets.toNewsletter(body.JID)
        const { thread_metadata: thread } = await infoOf(session, newsletterJid)
        const who = await targets.resolveUser(session, body.Phone)
        return sender.send('/newsletter/admin/invite', request, async () => {
          const inviteExpiration = await inviteAdmin(session, newsletterJid, who)
          const { Caption: caption } = body
          const invite = { newsletterJid, newsletterName: thread.name.text, inviteExpiration }
          return { proto: { newsletterAdminInviteMessage: { ...invite, ...(caption ? { caption } : {}) } } }
        })
      },
    }),
    onPerson('/newsletter/admin/revoke', 'revokeInvite', {
      summary: 'Revoke the invitation to administer a newsletter',
      description: 'Only its owner may, as long as it was not accepted.',
      verb: 'revoke the invitation',
      Details: 'Invitation revoked',
    }),
    r.post('/newsletter/admin/accept', {
      leaves: ['group'],
      summary: 'Accept an invitation to administer a newsletter',
      description:
        'The invitation is a message, `newsletterAdminInviteMessage`, with the JID of the newsletter.',
      example: { JID: '120363174444444444@newsletter' },
      body: T.Object({ JID }),
      errors: ['ITEM_UNKNOWN'],
      response: Done,
      async handle({ body, session }, { targets }) {
        await acceptAdmin(session, targets.toNewsletter(body.JID))
        return { Details: 'Invitation accepted' }
      },
    }),
    onPerson('/newsletter/admin/demote', 'demote', {
      summary: 'Make an admin of a newsletter a follower again',
      description: 'The owner demotes others; an admin may step down with the own number.',
      verb: 'demote the admin',
      Details: 'Admin demoted',
    }),
    onPerson('/newsletter/transfer', 'changeOwner', {
      summary: 'Make another admin the owner of a newsletter',
      description: 'The account becomes an admin, and cannot take the newsletter back.',
      verb: 'change the owner',
      Details: 'Owner changed',
    }),
  ]
}
