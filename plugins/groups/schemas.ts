import { LENGTHS } from 'wamux/messaging'
import { type Static, T } from 'wamux/plugin'

/** Text only: a JSON number would lose the last of an id's 18 digits and name another group. */
export const GroupJID = T.String({
  minLength: 1,
  maxLength: LENGTHS.id,
  aliases: ['GroupId'],
  names: 'group',
  description: 'JID of the group, or its bare id',
  examples: ['120363000000000000@g.us'],
})

export const People = (description: string, aliases: string[] = []) =>
  T.Array(T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'phone', leaves: 'recipient' }), {
    minItems: 1,
    maxItems: 1024,
    aliases,
    description,
  })

export const Code = T.String({
  minLength: 1,
  maxLength: LENGTHS.id,
  names: 'unknown',
  description: 'Invite code, or the whole link',
})

/** The network's maximum. */
export const Subject = T.String({ minLength: 1, maxLength: 100, aliases: ['Name'] })

const Text = T.String()
const Time = T.String({ format: 'date-time', description: '0001-01-01T00:00:00Z when not set' })

export const Participant = T.Object(
  {
    JID: T.String({ description: 'LID or phone JID, depending on the group' }),
    PhoneNumber: T.String({ description: 'Phone JID; empty if the network hides it' }),
    LID: Text,
    IsAdmin: T.Boolean(),
    IsSuperAdmin: T.Boolean(),
    DisplayName: Text,
    Username: T.Optional(T.String({ description: 'Without @; absent if there is none' })),
    Error: T.Integer({
      description:
        '0, or the error code: 401 blocked you, 403 privacy or not allowed, 404 no account or not a member, 408 left voluntarily, 409 is already a member',
    }),
    AddRequest: T.Union([T.Null(), T.Object({ Code: Text, Expiration: Time })], {
      description: 'With 403: the data for an invitation to this person',
    }),
  },
  { title: 'GroupParticipant' },
)
export type Participant = Static<typeof Participant>

/** The outcome for each of several people. */
export const Outcomes = T.Object({ Details: T.String(), Participants: T.Array(Participant) })

export const JoinRequest = T.Object(
  {
    JID: T.String({ description: 'LID or phone JID, depending on the group' }),
    PhoneNumber: T.String({ description: 'Phone JID; empty if the network hides it' }),
    LID: Text,
    Username: T.Optional(T.String({ description: 'Without @; absent if there is none' })),
    RequestedAt: Time,
    Method: T.String({ description: 'As the network names it, for example invite_link' }),
    RequestedBy: T.String({ description: 'Member who wants to add the person; empty for an own request' }),
  },
  { title: 'JoinRequest' },
)
export type JoinRequest = Static<typeof JoinRequest>

export const GroupInfo = T.Object(
  {
    JID: Text,
    OwnerJID: Text,
    OwnerPN: Text,
    Name: Text,
    NameSetAt: Time,
    NameSetBy: Text,
    NameSetByPN: Text,
    Topic: T.String({ description: 'The description' }),
    TopicID: Text,
    TopicSetAt: Time,
    TopicSetBy: Text,
    TopicSetByPN: Text,
    TopicDeleted: T.Boolean(),
    IsLocked: T.Boolean({ description: 'Only admins can change name, picture and description' }),
    IsAnnounce: T.Boolean({ description: 'Only admins can send' }),
    AnnounceVersionID: Text,
    IsEphemeral: T.Boolean(),
    DisappearingTimer: T.Integer({ description: 'Seconds' }),
    IsIncognito: T.Boolean(),
    IsParent: T.Boolean({ description: 'A community' }),
    DefaultMembershipApprovalMode: Text,
    LinkedParentJID: T.String({ description: 'The community that it belongs to' }),
    IsDefaultSubGroup: T.Boolean({ description: 'Announcement group of a community' }),
    IsJoinApprovalRequired: T.Boolean(),
    AddressingMode: Text,
    GroupCreated: Time,
    ParticipantVersionID: Text,
    Participants: T.Array(Participant),
    ParticipantCount: T.Integer(),
    MemberAddMode: T.String({ description: 'admin_add or all_member_add' }),
  },
  { title: 'Group' },
)
export type GroupInfo = Static<typeof GroupInfo>
