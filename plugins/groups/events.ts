import { type EventDeclaration, T } from 'wamux/plugin'
import { GroupInfo } from './schemas.ts'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    GroupInfo: { event: Record<string, unknown> }
    JoinedGroup: { event: Record<string, unknown> }
  }
}

const Text = T.String()
const OrNull = <S extends Record<string, ReturnType<typeof T.String>>>(fields: S) =>
  T.Union([T.Null(), T.Object(fields, { additionalProperties: true })])
const People = T.Array(Text)

/** The phone numbers of the list of the same name, in its order; empty where unknown. */
const Alt = T.Array(Text, { description: 'Phone JIDs in the order of the list of the same name without Alt' })

const by = {
  Notify: T.String({ description: 'Push name of the sender' }),
  Sender: T.String({ description: 'The person who made the change' }),
  SenderPN: T.String({ description: 'Phone JID of the sender; empty when unknown' }),
}

export const events = {
  GroupInfo: {
    class: 'All',
    summary: 'A group changed; unchanged fields are null or empty',
    schema: T.Object({
      JID: Text,
      ...by,
      Timestamp: Text,
      Name: OrNull({ Name: Text }),
      Topic: OrNull({ Topic: Text, TopicID: Text }),
      Locked: OrNull({}),
      Announce: OrNull({ AnnounceVersionID: Text }),
      Ephemeral: OrNull({}),
      MembershipApprovalMode: OrNull({}),
      MemberAddMode: T.Union([T.Null(), Text]),
      Delete: OrNull({ DeleteReason: Text }),
      Link: OrNull({ Type: Text }),
      Unlink: OrNull({ Type: Text }),
      NewInviteLink: T.Union([T.Null(), Text]),
      PrevParticipantVersionID: Text,
      ParticipantVersionID: Text,
      JoinReason: Text,
      Join: People,
      JoinAlt: Alt,
      Leave: People,
      LeaveAlt: Alt,
      Promote: People,
      PromoteAlt: Alt,
      Demote: People,
      DemoteAlt: Alt,
      MembershipRequestsCreated: People,
      MembershipRequestsCreatedAlt: Alt,
      MembershipRequestsRevoked: People,
      MembershipRequestsRevokedAlt: Alt,
      MembershipRequestMethod: Text,
      UnknownChanges: T.Array(T.Object({ Tag: Text, Attrs: T.Record(Text, Text) })),
    }),
  },
  JoinedGroup: {
    class: 'All',
    summary: 'The account joined or created a group, or was added to one',
    schema: T.Object({
      Reason: Text,
      Type: Text,
      CreateKey: Text,
      ...by,
      ...GroupInfo.properties,
    }),
  },
} satisfies Record<string, EventDeclaration>
