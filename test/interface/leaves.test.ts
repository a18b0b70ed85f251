import { expect } from 'chai'
import { BUILTIN } from '../../config/builtin.ts'
import { describeGateway } from '../../config/cli/describe-plugins.ts'
import { loadConfig } from '../../config/load.ts'
import { fieldsOf, LEAVING, leavingOf } from '../../kernel/leaving.ts'
import type { Route } from '../../kernel/plugin.ts'

const NOBODY = ['none', 'author', 'message']

describe('what leaves the account', () => {
  let routes: Route[]
  before(async () => {
    const on = Object.keys(BUILTIN).map((name) => [name, name !== 'sandbox'])
    const { plugins } = describeGateway(await loadConfig({}, Object.fromEntries(on)))
    routes = plugins.flatMap((plugin) => [...plugin.routes])
  })

  const placeOf = ({ method, path }: Route): string => `${method} ${path}`

  it('is declared by every route that changes something', () => {
    const changing = routes.filter(({ method, spec }) => method !== 'GET' && spec.scope !== 'read')
    expect(changing.length).to.be.greaterThan(180)
    // The default of a route that declares nothing is everything.
    const silent = changing.filter(({ spec }) => spec.leaves?.length === Object.keys(LEAVING).length)
    expect(silent.map(placeOf)).to.deep.equal([])
  })

  it('is declared by every field that has an address to request, by its format or by `leaves`', () => {
    const suspected = routes.flatMap((route) =>
      fieldsOf(route.spec.body)
        .filter(({ isSuspected }) => isSuspected)
        .map(({ field }) => `${placeOf(route)} ${field}`),
    )
    expect(suspected).to.deep.equal([])
    const fetching = routes.filter((route) => leavingOf(route).has('fetch'))
    expect(fetching.map(({ path }) => path)).to.include.members([
      ...['/media/convert', '/user/profile', '/group/photo', '/send/image', '/send/mediaurl', '/send/album'],
      ...['/session/proxy', '/webhook', '/session/init', '/v:version/:id/messages'],
    ])
  })

  it('is declared by every field that names somebody, where something leaves', () => {
    const open = routes.flatMap((route) => {
      const { leaves = [] } = route.spec
      const leavesByField = [...leavingOf(route).keys()].some((kind) => kind !== 'fetch')
      if (!leavesByField || leaves.some((kind) => kind !== 'fetch')) return []
      return fieldsOf(route.spec.body)
        .filter(({ names, leaves: own }) => names && !NOBODY.includes(names) && own === undefined)
        .map(({ field }) => `${placeOf(route)} ${field}`)
    })
    expect(open).to.deep.equal([])
  })
})
