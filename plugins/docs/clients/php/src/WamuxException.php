<?php

declare(strict_types=1);

namespace Wamux;

/**
 * A failed call: the gateway refused it, or did not answer. The classes under `Wamux\Exception` tell apart what went wrong.
 */
class WamuxException extends \RuntimeException
{
    /**
     * @param string $errorCode A code of the gateway, for example FIELD_MISSING. NETWORK: the gateway was not reached, or its answer
     *   was cut off; UNREADABLE: the answer does not come from the gateway but, for example, from a proxy.
     * @param int $status The HTTP status; 0 without an answer. Also `getCode()`.
     * @param string|null $details More about the cause, if the gateway gives it.
     * @param float|null $retryAfter Seconds to wait before another attempt, if the gateway gives them.
     * @param string|null $requestId Id of the request in the gateway's log.
     */
    final public function __construct(
        string $message,
        public readonly string $errorCode,
        public readonly int $status = 0,
        public readonly ?string $details = null,
        public readonly ?float $retryAfter = null,
        public readonly ?string $requestId = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $status, $previous);
    }

    /**
     * The class of errors with an HTTP status; 0 without an answer.
     *
     * @return class-string<self>
     */
    public static function classOf(int $status): string
    {
        return match (true) {
            $status === 0 => Exception\ConnectionFailed::class,
            in_array($status, [400, 405, 413, 415, 422], true) => Exception\InvalidRequest::class,
            $status === 401 => Exception\Unauthorized::class,
            $status === 403 => Exception\Forbidden::class,
            $status === 404 => Exception\NotFound::class,
            $status === 409 => Exception\Conflict::class,
            $status === 410 => Exception\Gone::class,
            $status === 429 => Exception\TooManyRequests::class,
            $status >= 500 => Exception\ServerError::class,
            default => self::class,
        };
    }

    /** Whether another attempt may succeed: never after a 4xx, a refusal by WhatsApp, or an internal error of the gateway. */
    public function isPassing(): bool
    {
        if ($this->status === 0 || $this->status > 502) {
            return true;
        }

        // From a proxy in between, or because WhatsApp was unavailable.
        return $this->status >= 500 && in_array($this->errorCode, ['UNREADABLE', 'NETWORK_UNAVAILABLE'], true);
    }
}
