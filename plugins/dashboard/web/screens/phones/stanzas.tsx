import { useSignal } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { formatOf, t } from '../../text.ts'
import type { Model } from './model.ts'
import type { PhoneView, StanzaLine, StanzaView } from './types.ts'

const MAX_INDENT = 12

/** Every stanza between the devices and the network, the newest first. */
export function Stanzas({ model }: { model: Model }) {
  const filter = useSignal('')
  const { isPaused, stanzas } = model
  const phones = model.phones.value ?? []
  const shown = stanzas.value
    .filter((line) => fits(line, phones, filter.value.trim().toLowerCase()))
    .reverse()
  return (
    <section class="card phones-stanzas" aria-labelledby="stanzas-title">
      <div class="row">
        <h2 id="stanzas-title">{t('phones.stanzas')}</h2>
        <span class="bar-space" />
        <Button
          onPress={() => {
            isPaused.value = !isPaused.value
          }}
        >
          {t(isPaused.value ? 'phones.resume' : 'phones.pause')}
        </Button>
        <Button
          kind="quiet"
          onPress={() => {
            stanzas.value = []
          }}
        >
          {t('phones.clear')}
        </Button>
      </div>
      <label class="row">
        <span class="sr-only">{t('phones.filter')}</span>
        <input
          class="phones-wide"
          value={filter.value}
          placeholder={t('phones.filter')}
          onInput={({ currentTarget }) => {
            filter.value = currentTarget.value
          }}
        />
      </label>
      <div class="phones-lines">
        {shown.length === 0 ? <p class="muted">{t('phones.noStanzas')}</p> : null}
        {shown.map((line) => (
          <Line key={line.key} line={line} name={nameOf(line, phones)} />
        ))}
      </div>
    </section>
  )
}

function Line({ line, name }: { line: StanzaLine; name: string }) {
  const isOpen = useSignal(false)
  const { direction, stanza, time } = line
  const { id, type, to, from } = stanza.Attrs
  return (
    <details
      class={`stanza stanza-${direction}`}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>
        <time dateTime={new Date(time).toISOString()}>
          {formatOf({ timeStyle: 'medium', hourCycle: 'h23' }, time)}
        </time>
        <span aria-hidden="true">{direction === 'up' ? '↑' : '↓'}</span>
        <span class="sr-only">{t(direction === 'up' ? 'phones.up' : 'phones.down')}</span>
        <b>{name}</b>
        <code>
          {stanza.Tag} {type ?? stanza.Attrs['xmlns'] ?? stanza.Nodes?.[0]?.Tag ?? ''}
        </code>
        <span class="stanza-id muted">{id ?? to ?? from}</span>
      </summary>
      {isOpen.value ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
        <pre tabIndex={0}>{textOf(stanza)}</pre>
      ) : null}
    </details>
  )
}

/** As XML, the usual notation for this kind of protocol. */
function textOf({ Tag, Attrs, Nodes, Text, Base64, Bytes, Count }: StanzaView, depth = 0): string {
  const indent = '  '.repeat(Math.min(depth, MAX_INDENT))
  const attrs = Object.entries(Attrs).map(([name, value]) => ` ${name}="${value}"`)
  const head = `${indent}<${Tag}${attrs.join('')}`
  if (Nodes) {
    const rest = Count ? [`${indent}  … ${Count}`] : []
    return [`${head}>`, ...Nodes.map((node) => textOf(node, depth + 1)), ...rest, `${indent}</${Tag}>`].join(
      '\n',
    )
  }
  if (Bytes === undefined) return `${head}/>`
  return `${head}>${Text ?? Base64}</${Tag}> (${Bytes} B)`
}

function nameOf({ phone, device }: StanzaLine, phones: readonly PhoneView[]): string {
  if (!phone) return t('phones.unlinked')
  const name = phones.find(({ Phone }) => Phone === phone)?.Name ?? phone
  return device === 0 ? name : `${name}:${device}`
}

function fits(line: StanzaLine, phones: readonly PhoneView[], wanted: string): boolean {
  if (!wanted) return true
  return `${nameOf(line, phones)} ${textOf(line.stanza)}`.toLowerCase().includes(wanted)
}
