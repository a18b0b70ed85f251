import { expect } from 'chai'
import { actions } from '../../config/build/documents/action-rows.ts'
import { table } from '../../config/build/documents/endpoints.ts'
import { startWorld, type World } from '../support/world.ts'

/** Plugins whose routes act on WhatsApp. */
const PLUGINS = new Set([
  ...['business', 'calls', 'chats', 'groups', 'labels', 'messages', 'newsletters', 'send', 'status', 'users'],
])
/** They read what the gateway has, or are another method of an endpoint of the interface. */
const NO_ACTIONS = new Set([
  'GET /send/:id',
  'GET /media/:seq',
  'GET /group/info',
  'GET /group/invitelink',
  'POST /message/downloadimage',
  'POST /message/downloadvideo',
  'POST /message/downloadaudio',
  'POST /message/downloaddocument',
])

describe('actions beyond the interface', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  it('are the routes of the plugins that act on WhatsApp, each once', () => {
    const known = new Set(table.map(({ method, path }) => `${method} ${path}`))
    const own = world.gateway
      .describe()
      .plugins.filter(({ name }) => PLUGINS.has(name))
      .flatMap(({ routes }) => routes.map(({ method, path }) => `${method} ${path}`))
      .filter((endpoint) => !known.has(endpoint) && !NO_ACTIONS.has(endpoint))
    const rows = actions.flatMap((group) => group.actions.map(({ endpoint }) => endpoint))
    expect([...rows].sort()).to.deep.equal(own.sort())
  })
})
