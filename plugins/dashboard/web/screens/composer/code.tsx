import { useSignal } from '@preact/signals'
import { Copy } from '../../parts/copy.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { t } from '../../text.ts'
import { type Language, SNIPPETS, type SnippetParts } from './snippets.ts'

/** The request as code, in the chosen language. */
export function Code({ parts }: { parts: SnippetParts }) {
  const chosen = useSignal<Language>('curl')
  const tabs = [
    { name: 'curl', title: 'curl' },
    { name: 'typescript', title: 'TypeScript' },
    { name: 'python', title: 'Python' },
  ]
  return (
    <section class="card composer-code" aria-label={t('composer.code')}>
      <Tabs
        label={t('composer.code')}
        tabs={tabs}
        selected={chosen.value}
        onSelect={(name) => (chosen.value = name as Language)}
      >
        <Copy text={SNIPPETS[chosen.value](parts)} isBlock />
      </Tabs>
    </section>
  )
}
