import { useSignal } from '@preact/signals'
import { api, of } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { bytesOf, numberOf, t, textFor } from '../../text.ts'

/** The session's data in the database. Measured on request, because it reads all rows of the session. */
export function StorageUse({ id }: { id: string }) {
  const isShown = useSignal(false)
  return (
    <section class="stack" aria-labelledby="storage">
      <h2 id="storage">{t('session.storage')}</h2>
      {isShown.value ? (
        <Measured id={id} />
      ) : (
        <p>
          <Button onPress={() => (isShown.value = true)}>{t('session.measure')}</Button>{' '}
          <span class="muted">{t('session.measureHint')}</span>
        </p>
      )}
    </section>
  )
}

function Measured({ id }: { id: string }) {
  const storage = useLoad(() => api.get('/session/storage', undefined, of(id)), [id])
  return (
    <Loading of={storage}>
      {({ Rows, Bytes, Tables }) =>
        Tables.length === 0 ? (
          <Empty>{t('session.noStorage')}</Empty>
        ) : (
          <>
            <p role="status">{t('session.storageTotal', { rows: Rows, size: bytesOf(Bytes) })}</p>
            <Table
              label={t('session.storage')}
              rows={Tables}
              keyOf={({ Table: name }) => name}
              columns={[
                {
                  title: t('session.what'),
                  cell: ({ Table: name }) => (
                    <>
                      {textFor('session', `table_${name}`) ?? ''} <code class="muted">{name}</code>
                    </>
                  ),
                },
                { title: t('session.rows'), isNumber: true, cell: (row) => numberOf(row.Rows) },
                { title: t('session.size'), isNumber: true, cell: (row) => bytesOf(row.Bytes) },
              ]}
            />
          </>
        )
      }
    </Loading>
  )
}
