import type { ComponentChildren } from 'preact'
import { Button } from '../../dashboard/web/parts/button.tsx'
import { isClosed, type Part, part, result, retry } from './linking.ts'
import { status, useFocusNext } from './page.ts'
import { Icon } from './parts.tsx'
import { PasskeyPart } from './passkey-part.tsx'
import { t } from './text.ts'
import { Ways } from './ways.tsx'

/** All parts of the page stay in the document and one is shown, so that typed input is kept. */
export function App() {
  return (
    <>
      <p id="status" class="status" role="status" aria-live="polite">
        {status.value}
      </p>
      {isClosed.value ? (
        <div class="buttons">
          <Button onPress={() => location.reload()}>{t('reload')}</Button>
        </div>
      ) : null}
      <Section name="link">
        <h1 id="link-heading" tabIndex={-1}>
          {t('heading')}
        </h1>
        <Ways />
      </Section>
      <Section name="wait">
        <Icon name="link" />
        <h1 id="wait-heading" tabIndex={-1}>
          {t('heading')}
        </h1>
        <div class="wait" aria-hidden="true" />
      </Section>
      <Section name="passkey">
        <PasskeyPart />
      </Section>
      <Section name="result" isGood={result.value.isGood}>
        <Icon name={result.value.isGood ? 'done' : 'stop'} />
        <h1 id="result-heading" tabIndex={-1}>
          {result.value.heading}
        </h1>
        <p class="lead">{result.value.text}</p>
        <div hidden={!result.value.canRetry}>
          <Button id="retry" kind="primary" onPress={retry}>
            {t('retry')}
          </Button>
        </div>
      </Section>
    </>
  )
}

interface SectionProps {
  name: Part
  isGood?: boolean
  children: ComponentChildren
}

function Section({ name, isGood = false, children }: SectionProps) {
  useFocusNext(`${name}-heading`)
  return (
    <section
      id={`part-${name}`}
      class={isGood ? 'good' : undefined}
      aria-labelledby={`${name}-heading`}
      hidden={part.value !== name}
    >
      {children}
    </section>
  )
}
