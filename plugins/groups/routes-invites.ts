import { Id, LENGTHS, Phone, Recipient, Sent, unixSeconds } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { inviteCode, readGroup } from './groups.ts'
import { acceptInvitation, invitedGroup, revokeInvitations } from './invitations.ts'
import { Code, GroupInfo, GroupJID, Outcomes, People } from './schemas.ts'
import { outcomeOf } from './update.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets' | 'sender'>

/** Invites by link, and invitations that are messages to one person. */
export const inviteRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/group/inviteinfo', {
    summary: 'Read the group of an invite link, before joining it',
    description:
      'Nobody in the group is told. The network may name only some of its members; `ParticipantCount` counts all.',
    example: { Code: 'HfKQ5PmU3DmBDJvL0XzWrC' },
    scope: 'read',
    body: T.Object({ Code }),
    response: GroupInfo,
    handle: ({ session, body }) => invitedGroup(session, inviteCode(body.Code)),
  }),
  r.post('/group/sendinvite', {
    summary: 'Send a person who could not be added an invitation to the group',
    description:
      'With the `Code` and `Expiration` of `AddRequest`, which the answers to `POST /group/update` and `POST /group/create` have for people whose privacy settings forbid adding them. The person gets a message to join by, until the expiration.',
    example: {
      GroupJID: '120363041234567890@g.us',
      Phone: '5511988888888',
      Code: 'HfKQ5PmU3DmBDJvL',
      Expiration: '2030-12-24T18:00:00Z',
      Caption: 'Join our bakers',
    },
    scope: 'send',
    body: T.Object({
      GroupJID: { ...GroupJID, leaves: 'nothing' },
      Phone: Recipient,
      Code: T.String({
        minLength: 1,
        maxLength: LENGTHS.id,
        format: 'id',
        description: 'Code of `AddRequest`',
      }),
      Expiration: T.String({ format: 'date-time', description: 'Expiration of `AddRequest`' }),
      Caption: T.Optional(T.String({ maxLength: LENGTHS.text, description: 'Text of the message' })),
      Id,
    }),
    response: Sent,
    handle(request, { targets, sender }) {
      const { session, body } = request
      const groupJid = targets.toGroup(body.GroupJID)
      return sender.send('/group/sendinvite', request, async () => {
        const { Name: groupName } = await readGroup(session, groupJid)
        const invite = {
          groupJid,
          groupName,
          inviteCode: body.Code,
          inviteExpiration: unixSeconds(body.Expiration),
        }
        return { proto: { groupInviteMessage: { ...invite, caption: body.Caption ?? '' } } }
      })
    },
  }),
  r.post('/group/acceptinvite', {
    leaves: ['group'],
    summary: 'Accept an invitation that was sent as a message',
    description:
      'People who may not add the account send it one (a `groupInviteMessage`); it is valid for three days, and for this account only. The answer has the JID of the group.',
    example: { Phone: '5511999999999', Id: '3A1B2C3D4E5F6071829B' },
    body: T.Object({
      Phone,
      Id: T.String({
        minLength: 1,
        maxLength: LENGTHS.id,
        format: 'id',
        // The handler refuses a group that the viewer does not see.
        names: 'message',
        aliases: ['MessageId'],
        description: 'Id of the message with the invitation',
      }),
    }),
    errors: ['MESSAGE_UNKNOWN'],
    response: T.Object({ Details: T.String(), GroupJID: T.String() }),
    async handle({ session, viewer, body }, { targets }) {
      const chat = await targets.resolveChat(session, body.Phone)
      const group = await acceptInvitation({ session, viewer }, { chat, id: body.Id })
      return { Details: 'Invitation accepted', GroupJID: group }
    },
  }),
  r.post('/group/revokeinvite', {
    leaves: ['group'],
    isDestructive: true,
    summary: 'Revoke invitations that were sent as messages',
    description:
      'Only for admins: of people who could not be added (`AddRequest` of the answer to `POST /group/update`). The answer has the outcome for each; 404 in `Error`: has no invitation. `POST /group/invitelink` resets the link.',
    example: { GroupJID: '120363041234567890@g.us', ParticipantJID: ['5511988888888'] },
    body: T.Object({ GroupJID, ParticipantJID: People('The invited people', ['Participants', 'Phone']) }),
    response: Outcomes,
    async handle({ session, body }, { targets }) {
      const people = await targets.resolveUsers(session, body.ParticipantJID, 'ParticipantJID')
      const group = targets.toGroup(body.GroupJID)
      return outcomeOf(await revokeInvitations(session, group, people), 'Invitations revoked')
    },
  }),
]
