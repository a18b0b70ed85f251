import { Done, file, SAMPLES } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { createGroup } from './create.ts'
import { GroupJID, Outcomes, Participant, People, Subject } from './schemas.ts'
import {
  ACTIONS,
  changeMembers,
  describe,
  outcomeOf,
  removePhoto,
  rename,
  setPhoto,
  setting,
  toAction,
} from './update.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media' | 'targets'>

/** The routes that change groups. The network checks permissions. */
export const changeRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/group/create', {
    ignoresUnknown: true,
    leaves: ['group'],
    summary: 'Create a group',
    description:
      'People whose privacy settings forbid adding them are listed in the answer; invite them by link.',
    example: { GroupName: 'Team', Participants: ['5511999999999'] },
    body: T.Object({
      GroupName: Subject,
      Participants: People('Initial members'),
    }),
    response: T.Object({
      jid: T.String(),
      JID: T.String(),
      name: T.String(),
      owner: T.String(),
      added: T.Array(T.String()),
      failed: T.Array(T.String(), {
        description: 'People who could not be added; the reason is in Participants',
      }),
      Participants: T.Array(Participant),
    }),
    async handle({ session, body }, { targets }) {
      const people = await targets.resolveUsers(session, body.Participants, 'Participants')
      return createGroup(session, body.GroupName, people)
    },
  }),
  r.post('/group/update', {
    ignoresUnknown: true,
    leaves: ['group'],
    isDestructive: true,
    summary: 'Add, remove, promote or demote members',
    description: 'Only for admins. The answer has the outcome for each member.',
    example: { GroupJID: '120363041234567890@g.us', ParticipantJID: ['5511999999999'], Action: 'promote' },
    body: T.Object({
      GroupJID,
      ParticipantJID: People('The members to change', ['Participants', 'Phone']),
      Action: T.String({
        maxLength: 20,
        minLength: 1,
        words: [...ACTIONS],
        description: 'add, remove, promote or demote',
        examples: ['promote'],
      }),
    }),
    response: Outcomes,
    handle: async ({ session, body }, { targets }) => {
      const people = await targets.resolveUsers(session, body.ParticipantJID, 'ParticipantJID')
      const action = toAction(body.Action)
      const Participants = await changeMembers(session, targets.toGroup(body.GroupJID), action, people)
      return outcomeOf(Participants, 'Group Participants updated successfully')
    },
  }),
  r.post('/group/name', {
    ignoresUnknown: true,
    leaves: ['group'],
    isIdempotent: true,
    summary: 'Set the name of a group',
    description: 'All members may do that unless the group is locked.',
    example: { GroupJID: '120363041234567890@g.us', Name: 'Crew' },
    body: T.Object({ GroupJID, Name: T.String({ minLength: 1, maxLength: 100 }) }),
    response: Done,
    handle: async ({ session, body }, { targets }) => {
      await rename(session, targets.toGroup(body.GroupJID), body.Name)
      return { Details: 'Group Name set successfully' }
    },
  }),
  r.post('/group/photo', {
    ignoresUnknown: true,
    leaves: ['group'],
    isIdempotent: true,
    summary: 'Set the picture of a group; it is cropped to a square',
    description: 'All members may do that unless the group is locked.',
    example: { GroupJID: '120363041234567890@g.us', Image: SAMPLES.picture },
    body: T.Object({ GroupJID, Image: file('The picture') }),
    response: T.Object({ Details: T.String(), PictureID: T.String() }),
    handle: async ({ session, body }, { media, targets }) => {
      const group = targets.toGroup(body.GroupJID)
      const photo = await media.of(session.id).photo('Image', body.Image, { isEnlarged: false })
      const PictureID = await setPhoto(session, group, photo)
      return { Details: 'Group Photo set successfully', PictureID }
    },
  }),
  r.post('/group/photo/remove', {
    leaves: ['group'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Remove the picture of a group',
    description: 'All members may do that unless the group is locked.',
    example: { GroupJID: '120363041234567890@g.us' },
    body: T.Object({ GroupJID }),
    response: Done,
    handle: async ({ session, body }, { targets }) => {
      await removePhoto(session, targets.toGroup(body.GroupJID))
      return { Details: 'Group Photo removed' }
    },
  }),
  r.post('/group/description', {
    ignoresUnknown: true,
    leaves: ['group'],
    isIdempotent: true,
    summary: 'Set the description of a group; an empty text clears it',
    description: 'All members may do that unless the group is locked.',
    example: { GroupJID: '120363041234567890@g.us', Description: 'Shifts and news' },
    body: T.Object({ GroupJID, Description: T.String({ maxLength: 2048, allowEmpty: true }) }),
    response: Done,
    handle: async ({ session, body }, { targets }) => {
      await describe(session, targets.toGroup(body.GroupJID), body.Description)
      return { Details: 'Group Description set successfully' }
    },
  }),
  r.post('/group/lock', {
    ignoresUnknown: true,
    leaves: ['group'],
    isIdempotent: true,
    summary: 'Restrict changes of name, picture and description to admins, or allow them to all members',
    description: 'Only admins may do that.',
    example: { GroupJID: '120363041234567890@g.us', Lock: true },
    body: T.Object({ GroupJID, Lock: T.Boolean() }),
    response: Done,
    handle: async ({ session, body }, { targets }) => {
      await setting(session, targets.toGroup(body.GroupJID), { tag: body.Lock ? 'locked' : 'unlocked' })
      return { Details: `Group ${body.Lock ? 'locked' : 'unlocked'} successfully` }
    },
  }),
  r.post('/group/adminonly', {
    ignoresUnknown: true,
    leaves: ['group'],
    isIdempotent: true,
    summary: 'Restrict sending to admins, or allow it to all members',
    description: 'Only admins may do that.',
    example: { GroupJID: '120363041234567890@g.us', AdminOnly: true },
    body: T.Object({ GroupJID, AdminOnly: T.Boolean() }),
    response: Done,
    handle: async ({ session, body }, { targets }) => {
      const group = targets.toGroup(body.GroupJID)
      await setting(session, group, { tag: body.AdminOnly ? 'announcement' : 'not_announcement' })
      return { Details: `${body.AdminOnly ? 'Only admins' : 'All members'} can write now` }
    },
  }),
]
