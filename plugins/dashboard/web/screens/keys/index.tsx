import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { t } from '../../text.ts'

export default function Placeholder() {
  return (
    <Page title={t('keys.title')}>
      <Empty>{t('shell.loading')}</Empty>
    </Page>
  )
}
