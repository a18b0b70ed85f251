import { Button } from '../../dashboard/web/parts/button.tsx'
import { Field } from '../../dashboard/web/parts/field.tsx'
import { copy, useFocusNext } from './page.ts'
import { Code, Form, Icon, Steps } from './parts.tsx'
import {
  answer,
  challenge,
  confirmError,
  hasExtension,
  pasted,
  phoneCode,
  scriptOf,
  sendPasted,
  sign,
  signError,
  step,
} from './passkey.ts'
import { extensionId, t } from './text.ts'

const CHROME_STORE = 'https://chromewebstore.google.com/detail/'
const FIREFOX_STORE = 'https://addons.mozilla.org/firefox/addon/whatsapp-browser-extension/'

export function PasskeyPart() {
  return (
    <>
      <Icon name="key" />
      <h1 id="passkey-heading" tabIndex={-1}>
        {t('passkeyHeading')}
      </h1>
      <div hidden={step.value !== 'challenge'}>
        <p class="lead">{t('passkeyWhy')}</p>
        <WithExtension />
        <WithoutExtension />
        <ByHand />
        <p id="sign-error" class="hint-bad" role="alert">
          {signError.value}
        </p>
      </div>
      <Compare />
    </>
  )
}

function WithExtension() {
  return (
    <div id="with-extension" hidden={!hasExtension.value}>
      <p>{t('passkeyTab')}</p>
      {/* The press is not over while the extension works: it can be pressed for the next challenge meanwhile. */}
      <Button kind="primary" onPress={() => void sign()}>
        {t('passkeySign')}
      </Button>
    </div>
  )
}

function WithoutExtension() {
  return (
    <div id="without-extension" hidden={hasExtension.value !== false}>
      <p>{t('passkeyInstall')}</p>
      <ul class="links">
        <li>
          <a href={CHROME_STORE + extensionId} target="_blank" rel="noreferrer">
            {t('passkeyChrome')}
          </a>
        </li>
        <li>
          <a href={FIREFOX_STORE} target="_blank" rel="noreferrer">
            {t('passkeyFirefox')}
          </a>
        </li>
      </ul>
      <p class="hint">{t('passkeyInstalled')}</p>
    </div>
  )
}

function ByHand() {
  useFocusNext('result')
  const script = challenge.value ? scriptOf(challenge.value) : ''
  const steps = [1, 2, 3, 4, 5].map((number) => t(`passkeyStep${number as 1 | 2 | 3 | 4 | 5}`))
  return (
    <details>
      <summary>{t('passkeyManual')}</summary>
      <p class="hint">{t('passkeyComputer')}</p>
      <Steps texts={steps} />
      <Field id="script" label={t('passkeyScript')}>
        {(ties) => (
          <textarea {...ties} readonly rows={3} spellcheck={false} translate={false} value={script} />
        )}
      </Field>
      <div class="buttons">
        <Button onPress={() => copy(script, 'script')}>{t('passkeyCopy')}</Button>
        <a class="button" href="https://web.whatsapp.com/" target="_blank" rel="noreferrer">
          {t('passkeyOpen')}
        </a>
      </div>
      <Form id="result-form" submit={t('passkeySend')} onSend={sendPasted}>
        <Field id="result" label={t('passkeyResult')}>
          {(ties) => (
            <textarea
              {...ties}
              aria-describedby="sign-error"
              rows={3}
              required
              spellcheck={false}
              autocomplete="off"
              value={pasted.value}
              onInput={({ currentTarget }) => (pasted.value = currentTarget.value)}
            />
          )}
        </Field>
      </Form>
    </details>
  )
}

function Compare() {
  useFocusNext('confirm-heading')
  return (
    <div id="passkey-confirm" hidden={step.value !== 'confirm'}>
      <h2 id="confirm-heading" tabIndex={-1}>
        {t('confirmHeading')}
      </h2>
      <p>{t('confirmWhy')}</p>
      <Code id="confirm-code" text={phoneCode.value} groups={[phoneCode.value]} />
      <p class="hint-bad" role="alert">
        {confirmError.value}
      </p>
      <div class="buttons">
        <Button kind="primary" onPress={() => answer('passkey/confirm')}>
          {t('confirmYes')}
        </Button>
        <Button onPress={() => answer('cancel')}>{t('confirmNo')}</Button>
      </div>
    </div>
  )
}
