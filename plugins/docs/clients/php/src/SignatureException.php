<?php

declare(strict_types=1);

namespace Wamux;

/** The delivery is not from the gateway, or too old: answer 401. */
class SignatureException extends \RuntimeException
{
}
