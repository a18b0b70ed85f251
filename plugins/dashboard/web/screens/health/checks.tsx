import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Table } from '../../parts/table.tsx'
import type { Loaded } from '../../parts/use-load.ts'
import { numberOf, t } from '../../text.ts'

export const readHealth = () => api.get('/server/health')

type Nodes = Awaited<ReturnType<typeof readHealth>>['Nodes']

/** The checks of every node; a node that does not answer is named. */
export function Checks({ of }: { of: Loaded<{ Nodes: Nodes }> }) {
  return (
    <section class="stack" aria-labelledby="checks">
      <h2 id="checks">{t('health.checks')}</h2>
      <Loading of={of}>
        {({ Nodes }) => {
          const isOne = Nodes.length === 1
          const rows = Nodes.flatMap(({ Name, Checks: checks }) =>
            checks.map((check) => ({ ...check, Node: Name })),
          )
          return (
            <>
              {Nodes.every(({ State }) => State === 'ready') ? (
                <Notice kind="good">{t(isOne ? 'health.ready' : 'health.allReady')}</Notice>
              ) : null}
              {Nodes.filter(({ State }) => State !== 'ready').map(({ Name, State, Why }) => (
                <Notice key={Name} kind={State === 'unknown' ? 'warn' : 'bad'}>
                  {isOne
                    ? t('health.notReady')
                    : t(State === 'unknown' ? 'health.nodeUnknown' : 'health.nodeNotReady', {
                        node: Name,
                        why: Why,
                      })}
                </Notice>
              ))}
              <Table
                label={t('health.checks')}
                rows={rows}
                keyOf={({ Node, Plugin, Name }) => `${Node}/${Plugin}/${Name}`}
                columns={[
                  ...(isOne ? [] : [{ title: t('health.node'), cell: ({ Node }: { Node: string }) => Node }]),
                  { title: t('health.check'), cell: ({ Name }) => Name },
                  { title: t('health.plugin'), cell: ({ Plugin }) => Plugin },
                  {
                    title: t('health.result'),
                    cell: ({ Ok, Why }) => (
                      <>
                        <Badge tone={Ok ? 'good' : 'bad'}>{t(Ok ? 'shell.yes' : 'shell.no')}</Badge> {Why}
                      </>
                    ),
                  },
                  { title: 'ms', isNumber: true, cell: ({ Milliseconds }) => numberOf(Milliseconds) },
                ]}
              />
            </>
          )
        }}
      </Loading>
    </section>
  )
}
