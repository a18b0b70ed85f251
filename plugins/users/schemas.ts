import { T } from 'wamux/plugin'

const Words = T.String()
const Time = T.Union([T.String({ format: 'date-time' }), T.Null()])

export const Privacy = T.Object(
  {
    GroupAdd: Words,
    LastSeen: Words,
    Status: Words,
    Profile: Words,
    ReadReceipts: Words,
    CallAdd: Words,
    Online: Words,
    Messages: Words,
    Defense: Words,
    Stickers: Words,
  },
  { title: 'Privacy' },
)

export const Blocked = T.Object(
  {
    DHash: T.String({ description: "The network's hash of the list" }),
    JIDs: T.Array(T.String(), { description: 'By phone number if it is known, otherwise by LID' }),
  },
  { title: 'BlockList' },
)

export const Limits = T.Object(
  {
    MessageCap: T.Union([
      T.Null(),
      T.Object({
        TotalQuota: T.Integer(),
        UsedQuota: T.Integer(),
        CycleStartTimestamp: Time,
        CycleEndTimestamp: Time,
        ServerSentTimestamp: Time,
        OteStatus: Words,
        MvStatus: Words,
        CappingStatus: Words,
      }),
    ]),
    ReachoutTimelock: T.Union([
      T.Null(),
      T.Object({ IsActive: T.Boolean(), EnforcementType: Words, TimeEnforcementEnds: Time }),
    ]),
  },
  { title: 'Limits' },
)
