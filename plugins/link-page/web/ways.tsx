import { Button } from '../../dashboard/web/parts/button.tsx'
import { Field } from '../../dashboard/web/parts/field.tsx'
import { Tabs } from '../../dashboard/web/parts/tabs.tsx'
import { qr, select, way } from './linking.ts'
import { copy, useFocusNext } from './page.ts'
import {
  code,
  codeError,
  isGiven,
  msLeft,
  phone,
  phoneError,
  requestAnother,
  requestCode,
  takeOtherNumber,
} from './pairing-code.ts'
import { Code, Form, Steps } from './parts.tsx'
import { t } from './text.ts'

/** The two ways to link: both stay in the document, so that a typed number is kept. */
export function Ways() {
  const tabs = [
    { name: 'qr', title: t('byQr') },
    { name: 'code', title: t('byCode') },
  ]
  return (
    <Tabs
      id="tab"
      label={t('ways')}
      tabs={tabs}
      selected={way.value}
      onSelect={(name) => select(name === 'code' ? 'code' : 'qr')}
      isPanelStop={way.value === 'qr'}
    >
      <ByQr />
      <ByCode />
    </Tabs>
  )
}

function ByQr() {
  const image = qr.image.value
  return (
    <div id="panel-qr" class="way" hidden={way.value !== 'qr'}>
      <div class="main">
        <div class="qr">
          {/* Without a code it is another element, so that nothing of the last one stays in it. */}
          <img
            key={image ? 'shown' : 'none'}
            id="qr"
            alt={t('qrAlt')}
            width="264"
            height="264"
            hidden={!image}
            {...(image ? { src: image } : {})}
          />
          <div class="wait" aria-hidden="true" hidden={image !== ''} />
        </div>
        <p class="left" aria-hidden="true">
          {image ? t('newIn', { seconds: qr.secondsLeft.value }) : ''}
        </p>
      </div>
      <div>
        <Steps texts={[t('openWhatsApp'), t('openDevices'), t('tapLink')]} />
        <p class="hint">{t('samePhone')}</p>
      </div>
    </div>
  )
}

function ByCode() {
  useFocusNext('phone')
  return (
    <div id="panel-code" class="way" hidden={way.value !== 'code'}>
      <div class="main">
        <div hidden={isGiven.value}>
          <Form id="code-form" submit={t('getCode')} onSend={requestCode}>
            <Field id="phone" label={t('phone')} hint={t('phoneHint')} error={phoneError.value}>
              {(ties) => (
                <input
                  {...ties}
                  type="tel"
                  inputmode="tel"
                  autocomplete="tel"
                  required
                  value={phone.value}
                  onInput={({ currentTarget }) => (phone.value = currentTarget.value)}
                />
              )}
            </Field>
          </Form>
        </div>
        <GivenCode />
      </div>
      <Steps texts={[t('openWhatsApp'), t('openDevices'), t('tapNumber'), t('typeCode')]} />
    </div>
  )
}

function GivenCode() {
  useFocusNext('code-heading')
  const text = code.value
  return (
    <div id="code-part" hidden={!isGiven.value}>
      <h2 id="code-heading" tabIndex={-1}>
        {t('yourCode')}
      </h2>
      <Code id="code" text={text} groups={text ? [text.slice(0, 4), text.slice(4)] : []} />
      <p id="code-left" class="left" aria-hidden="true">
        {text ? t('codeValid', { time: minutesOf(msLeft.value) }) : ''}
      </p>
      <p class="hint-bad" role="alert">
        {codeError.value}
      </p>
      <div class="buttons">
        {text ? <Button onPress={() => copy(text, 'code')}>{t('copyCode')}</Button> : null}
        <Button id="code-new" onPress={requestAnother}>
          {t('newCode')}
        </Button>
        <Button kind="quiet" onPress={takeOtherNumber}>
          {t('otherNumber')}
        </Button>
      </div>
    </div>
  )
}

/** `2:05` */
function minutesOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
