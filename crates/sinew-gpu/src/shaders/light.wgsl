// Light of an open plain: a low sun, a sky, the ground that throws some of both back, and dust.

const SUN: vec3f = vec3f(1.55, 1.32, 1.02);
const SKY: vec3f = vec3f(0.33, 0.42, 0.56);
const SOIL: vec3f = vec3f(0.20, 0.155, 0.105);
const HAZE: vec3f = vec3f(0.80, 0.735, 0.63);
const ZENITH: vec3f = vec3f(0.17, 0.33, 0.62);

fn toned(x: vec3f) -> vec3f {
    // Leaves dark and middle tones alone and rolls highlights off towards white.
    let knee = vec3f(0.7);
    let rolled = knee + (1.0 - knee) * (1.0 - exp(-(x - knee) / (1.0 - knee)));
    return select(rolled, max(x, vec3f(0.0)), x <= knee);
}

fn sky(ray: vec3f) -> vec3f {
    let height = clamp(ray.y, 0.0, 1.0);
    let glow = pow(max(dot(ray, frame.sun.xyz), 0.0), 24.0);
    return mix(HAZE, ZENITH, 1.0 - exp(-4.5 * height)) + 0.25 * glow * SUN;
}

fn hazy(color: vec3f, place: vec3f) -> vec3f {
    let away = place - frame.eye.xyz;
    let far = length(away);
    let haze = 1.0 - exp2(-pow(far / frame.ground.z, 1.4));
    return mix(color, sky(away / far), haze);
}

// `open` is how much of the sky is seen, `sunny` how much of the sun, from 0 to 1.
fn lit(color: vec3f, place: vec3f, normal: vec3f, open: f32, sunny: f32) -> vec3f {
    let view = normalize(frame.eye.xyz - place);
    let day = max((dot(normal, frame.sun.xyz) + 0.1) / 1.1, 0.0);
    let up = 0.5 + 0.5 * normal.y;
    let half_way = normalize(view + frame.sun.xyz);
    let shine = 0.12 * pow(max(dot(normal, half_way), 0.0), 28.0);
    let rim = 0.22 * pow(1.0 - max(dot(normal, view), 0.0), 4.0) * up;
    let diffuse = SUN * day * sunny + (SKY * up + SOIL * (1.0 - up)) * open;
    return hazy(color * (diffuse + rim) + SUN * shine * open, place);
}

// An animal: its own colour, a little unlike its neighbours', darker towards the ground it stands on. `light` is how
// open it is as far as itself is in the way, below 0 where that is not known and guessed.
fn animal(color: vec3f, tint: u32, place: vec3f, normal: vec3f, height: f32, light: f32) -> vec3f {
    let low = clamp(place.y / max(height, 1e-6), 0.0, 1.0);
    let guessed = mix(0.42, 1.0, smoothstep(0.0, 0.75, low)) * mix(0.7, 1.0, 0.5 + 0.5 * normal.y);
    // Baked light knows nothing of the ground. Where little sky is seen the sun is mostly hidden too.
    let known = light * mix(0.6, 1.0, smoothstep(0.0, 0.75, low)) * mix(0.7, 1.0, 0.5 + 0.5 * normal.y);
    let open = select(guessed, known, light >= 0.0);
    let sunny = select(mix(0.75, 1.0, open), smoothstep(-0.1, 0.9, light), light >= 0.0);
    return toned(lit(color * unpack4x8unorm(tint).rgb * 1.6, place, normal, open, sunny));
}
