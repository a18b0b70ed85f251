<?php

declare(strict_types=1);

namespace Wamux;

/**
 * Signatures of webhooks, by Standard Webhooks 1.0.
 *
 * @phpstan-import-type Event from Types
 */
final class Webhook
{
    public const TOLERANCE_SECONDS = 300;

    private readonly string $key;

    /**
     * @param string $secret As shown by POST /webhook, `whsec_…`.
     * @param int $tolerance Seconds by which the clocks may differ, in both directions.
     */
    public function __construct(
        #[\SensitiveParameter] string $secret,
        private readonly int $tolerance = self::TOLERANCE_SECONDS,
    ) {
        $key = base64_decode(str_starts_with($secret, 'whsec_') ? substr($secret, 6) : $secret, true);
        // An empty key, of a secret that is missing in the configuration, would be one that anybody knows.
        if ($key === false || $key === '') {
            throw new \InvalidArgumentException('the secret is not whsec_ and base64');
        }
        $this->key = $key;
    }

    /**
     * The event of a delivery, once its signature and the time of the signature are found right.
     *
     * @param string $body As received; a body that was parsed and written again has another signature.
     * @param array<string, string|list<string>> $headers Of the request, in any case: `getallheaders()`, or those of a PSR-7 request.
     * @param int|null $now Unix seconds, for tests.
     * @return Event
     * @throws SignatureException
     */
    public function verify(string $body, array $headers, ?int $now = null): array
    {
        $given = array_change_key_case($headers);
        [$id, $timestamp, $signatures] = array_map(
            static fn (string $name): string => implode(' ', (array) ($given["webhook-$name"] ?? '')),
            ['id', 'timestamp', 'signature'],
        );
        if ($id === '' || $timestamp === '' || $signatures === '') {
            throw new SignatureException('webhook-id, webhook-timestamp or webhook-signature is missing');
        }
        if (preg_match('/\A[0-9]{1,15}\z/', $timestamp) !== 1) {
            throw new SignatureException('webhook-timestamp is not a number of seconds');
        }
        if (abs(($now ?? time()) - (int) $timestamp) > $this->tolerance) {
            throw new SignatureException('webhook-timestamp is too old, or in the future');
        }
        $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $this->key, true));
        $isRight = false;
        // One for each valid secret.
        foreach (explode(' ', $signatures) as $signature) {
            $isRight = hash_equals($wanted, $signature) || $isRight;
        }
        if (!$isRight) {
            throw new SignatureException('webhook-signature does not match');
        }

        return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    }
}
