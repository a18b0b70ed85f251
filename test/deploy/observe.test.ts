import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { backUp } from '../../config/cli/backup/backup.ts'
import cloudApi from '../../plugins/cloud-api/index.ts'
import metrics from '../../plugins/metrics/index.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { startedGateway } from '../support/gateway.ts'
import { type Metrics, readMetrics } from '../support/metrics.ts'
import { startReceiver } from '../support/servers/receiver.ts'
import { admin, openShop } from '../support/world.ts'

const DEPLOY = 'config/deploy'

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook_url: string }
}

interface Panel {
  id: number
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string }[]
}

/** A metric in a query, with the labels that select its series and those that the legend or the text names. */
interface Use {
  name: string
  matchers: { label: string; operator: string; value: string }[]
}

/** Words of the query language are followed by a parenthesis or a list; metrics of ours have a prefix. */
function usesOf(expr: string): Use[] {
  return [...expr.matchAll(/\b((?:wamux|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selector = '']) => ({
      name,
      matchers: [...selector.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
      ),
    }),
  )
}

/** Uses of metrics in a query, each with the innermost aggregation over nodes that it stands in. */
function usesWithPlace(expr: string): { name: string; place: string }[] {
  return [...expr.matchAll(/\b(?:wamux|nodejs|process)_\w+/g)].map(({ 0: name, index }) => {
    const open: string[] = []
    for (const [text, word] of expr.slice(0, index).matchAll(/(sum|max|min)?(?: by \([\w, ]+\))? ?\(|\)/g))
      if (text === ')') open.pop()
      else open.push(word ?? '')
    return { name, place: open.filter(Boolean).at(-1) ?? 'alone' }
  })
}

/** Read from the tables that all nodes share. */
const SHARED =
  /^wamux_(webhook_(pending|dead|oldest_pending_seconds)|database_bytes|web_version_|last_backup_)/
/** Of each node or session: the worst of them is wanted, or each. */
const WORST =
  /^wamux_(webhook_breaker_state|consumer_slowest_lane_events|session_last_stanza_age_seconds|session_ended|issues)/
const OF_NODE = /^(nodejs_|process_|wamux_check|wamux_build_info)/

function kindOf(name: string, type = 'counter'): { says: string; places: string[] } {
  if (OF_NODE.test(name)) return { says: 'its own', places: ['alone'] }
  if (SHARED.test(name)) return { says: 'the same', places: ['max', 'min'] }
  if (WORST.test(name)) return { says: 'its worst', places: ['max'] }
  return { says: `its part of a ${type}`, places: ['sum'] }
}

/** Of issues, as documented: not all of them can be provoked here. */
const CAUSES = [...readFileSync('plugins/issues/README.md', 'utf8').matchAll(/^\| (`[^|]*) \|/gm)].flatMap(
  ([, causes = '']) => causes.match(/[\w-]+/g) ?? [],
)

const variablesOf = (text: string): string[] => [
  ...[...text.matchAll(/\$labels\.(\w+)/g)].map(([, name = '']) => name),
  ...[...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name),
]

/** How links end for good. */
const ENDS = {
  'logged-out': { Fault: 'failure', Code: 401 },
  banned: { Fault: 'failure', Code: 403 },
  replaced: { Fault: 'replaced' },
  failed: { Fault: 'failure', Code: 409 },
}

/** Shown where messages wait, and where plugins have hooks. */
const OF_PLUGINS = /wamux_(pacing_|messages_dropped_|sends_vetoed_)/

describe('the files for Prometheus and Grafana', () => {
  const { groups } = parse(readFileSync(`${DEPLOY}/prometheus/alerts.yaml`, 'utf8')) as {
    groups: { name: string; rules: Rule[] }[]
  }
  const rules = groups.flatMap((group) => group.rules)
  const dashboard = JSON.parse(readFileSync(`${DEPLOY}/grafana/wamux.json`, 'utf8')) as { panels: Panel[] }
  let shown: Metrics

  before(async () => {
    // Something of every kind: two outcomes of sends and deliveries, a link that ended, and a backup.
    const receiver = await startReceiver()
    const dataDir = temporaryFolder()
    const shop = await openShop({ dataDir, config: { pacing: {} }, extra: [cloudApi] })
    // The faults of an account stay until they are cleared: each of these sessions has one of its own.
    for (const [state, fault] of Object.entries(ENDS)) {
      const lost = await shop.world.linked(await shop.world.phone(state))
      const { phone } = lost.phone.account
      shop.world.fault({ ...fault, Phone: phone })
      if (fault.Fault === 'failure') shop.world.fault({ Fault: 'drop', Phone: phone })
      await lost.status({ State: state })
    }
    await backUp(dataDir, join(temporaryFolder(), 'copy.sqlite'))
    const { world, session, ana } = shop
    world.fault({ Fault: 'expires', Ms: 86_400_000 })
    await session.post('/webhook', { WebhookURL: receiver.url })
    await session.post('/send/text', { Phone: ana.account.phone, Body: 'x' })
    shown = await eventually(async () => {
      const now = await readMetrics(world.gateway.url, admin)
      return now.value('wamux_webhook_attempts_total', { outcome: 'delivered' }) && now
    }, 'delivered')
    receiver.answer(() => ({ status: 500 }))
    await session.post('/send/text', { Phone: ana.account.phone, Body: 'y' })
    shown = await eventually(async () => {
      const now = await readMetrics(world.gateway.url, admin)
      return now.value('wamux_webhook_oldest_pending_seconds') !== undefined && now
    }, 'waiting')
    shown = await eventually(async () => {
      const now = await readMetrics(world.gateway.url, admin)
      return now.value('wamux_web_version_expires_seconds') !== undefined && now
    }, 'the end of the version')
    await world.stop()
    await receiver.close()
  })

  function seriesOf(name: string) {
    return shown.all.filter((one) => one.name === name)
  }
  function expectShown(place: string, expr: string, texts: readonly string[] = []): void {
    const uses = usesOf(expr).filter(({ name }) => !OF_PLUGINS.test(name))
    const own = OF_PLUGINS.test(expr) || /\bup\{/.test(expr)
    expect(uses.length > 0 || own, `${place}: ${expr}`).to.equal(true)
    for (const { name, matchers } of uses) {
      const series = seriesOf(name)
      expect(series, `${place}: ${name}`).to.not.have.length(0)
      for (const { label, operator, value } of matchers.filter((one) => one.label !== 'instance')) {
        const values = new Set(series.map(({ labels }) => labels[label]))
        expect([...values], `${place}: ${label} of ${name}`).to.not.include(undefined)
        if (label === 'cause' && name === 'wamux_issues') for (const cause of CAUSES) values.add(cause)
        const named = operator.includes('~') ? value.split('|') : [value]
        expect([...values], `${place}: ${label} of ${name}`).to.include.members(named)
      }
      for (const label of texts.flatMap(variablesOf).filter((one) => one !== 'instance'))
        expect(Object.keys(series[0]?.labels ?? {}), `${place}: ${label} of ${name}`).to.include(label)
    }
  }

  it('have rules whose metrics, labels and values are shown', () => {
    expect(rules).to.have.length.greaterThan(10)
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length)
    for (const { alert, expr, annotations, labels, ...rule } of rules) {
      expect(labels.severity, alert).to.be.oneOf(['warning', 'critical'])
      if (rule.for) expect(rule.for, alert).to.match(/^\d+[smh]$/)
      expectShown(alert, expr, [annotations.summary])
    }
  })

  it('have rules each of which leads to a section that says what to do', () => {
    const sections = readFileSync('kernel/docs/alerts.md', 'utf8').match(/^## \w+$/gm) ?? []
    expect(sections.map((line) => line.slice(3))).to.have.members(rules.map(({ alert }) => alert))
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).to.equal(
        `https://wamux.example/docs/guide/alerts#${alert.toLowerCase()}`,
      )
  })

  it('have panels whose metrics and labels are shown, none above another', () => {
    const places = new Set<string>()
    const ids = new Set(dashboard.panels.map(({ id }) => id))
    expect(ids.size).to.equal(dashboard.panels.length)
    for (const { title, gridPos, targets = [], type } of dashboard.panels) {
      places.add(`${gridPos.x} ${gridPos.y}`)
      expect(gridPos.x + gridPos.w, title).to.be.at.most(24)
      if (type !== 'row') expect(targets, title).to.not.have.length(0)
      for (const { expr, legendFormat } of targets)
        if (!/session_ends/.test(expr)) expectShown(title, expr, [legendFormat])
    }
    expect(places.size).to.equal(dashboard.panels.length)
  })

  it('have panels that are right for several nodes', () => {
    for (const { title, targets = [] } of dashboard.panels)
      for (const { expr, legendFormat } of targets)
        for (const { name, place } of usesWithPlace(expr)) {
          const kind = kindOf(name, shown.types.get(name.replace(/_bucket$/, '')))
          const says = `${title}: ${expr}: each node shows ${kind.says}`
          expect(place, says).to.be.oneOf(kind.places)
          if (place === 'alone') expect(legendFormat, says).to.include('{{instance}}')
        }
  })

  it('use everything that the built-in plugins show of themselves', () => {
    const exprs = [
      ...rules.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ]
    const used = new Set(exprs.flatMap(usesOf).map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))
    const own = [...shown.types.keys()].filter((name) => name.startsWith('wamux_'))
    expect([...used]).to.include.members(own)
  })

  it('have a job whose token is that of the setting', async () => {
    const { scrape_configs: jobs } = parse(readFileSync(`${DEPLOY}/prometheus/scrape.yaml`, 'utf8')) as {
      scrape_configs: { job_name: string; metrics_path: string; authorization: { type: string } }[]
    }
    expect(jobs).to.have.length(1)
    const token = 'the-content-of-the-file'
    const plugins = [{ plugin: metrics, config: { access: 'token', token } }]
    const gateway = await startedGateway({ plugins })
    const authorization = `${jobs[0]?.authorization.type} ${token}`
    const { status } = await fetch(gateway.url + jobs[0]?.metrics_path, { headers: { authorization } })
    expect(status).to.equal(200)
    expect(rules.find(({ alert }) => alert === 'WamuxDown')?.expr).to.include(`job="${jobs[0]?.job_name}"`)
    await gateway.stop()
  })
})
