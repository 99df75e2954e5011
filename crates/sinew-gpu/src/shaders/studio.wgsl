// The light of still pictures: one large lamp, a sky all around, a floor that throws some of both back, and a weak light
// on the other side. As sinew-picture has it, without the shadows that it finds by looking from each light.

const LAMP: vec3f = vec3f(1.10, 1.03, 0.94);
const SKY: vec3f = vec3f(0.36, 0.39, 0.44);
const FLOOR: vec3f = vec3f(0.21, 0.195, 0.18);
const FILL: vec3f = vec3f(0.12, 0.135, 0.16);
const RIM: f32 = 0.30;
const GLOSS: f32 = 0.25;

fn toned(x: vec3f) -> vec3f {
    let knee = vec3f(0.72);
    let rolled = knee + (1.0 - knee) * (1.0 - exp(-(x - knee) / (1.0 - knee)));
    return select(rolled, max(x, vec3f(0.0)), x <= knee);
}

// Towards a light so many radians around from the camera and above the horizon.
fn towards(turn: f32, above: f32) -> vec3f {
    let back = -frame.forward.xyz;
    let around = atan2(back.x, back.z) + turn;
    return vec3f(sin(around) * cos(above), sin(above), cos(around) * cos(above));
}

// A body. `light` is how open it is as far as itself is in the way, below 0 where that is not known.
fn animal(color: vec3f, tint: u32, place: vec3f, normal: vec3f, height: f32, light: f32) -> vec3f {
    let known = light >= 0.0;
    let sky = select(1.0, light, known);
    let low = clamp(place.y / max(height, 1e-6), 0.0, 1.0);
    let ground = mix(0.5, 1.0, smoothstep(0.0, 0.4, low)) * sky;
    let reached = select(1.0, smoothstep(-0.1, 0.9, light), known);
    let lamp = towards(radians(-62.0), radians(56.0));
    let view = normalize(frame.eye.xyz - place);
    let day = max((dot(normal, lamp) + 0.12) / 1.12, 0.0) * reached;
    let up = 0.5 + 0.5 * normal.y;
    let open = sky * up + ground * (1.0 - up);
    let fill = max(dot(normal, towards(radians(70.0), radians(12.0))), 0.0);
    let diffuse = LAMP * day + SKY * (up * sky) + FLOOR * ((1.0 - up) * ground) + FILL * (fill * open);
    let half_way = normalize(lamp + view);
    let polish = 10.0 + 190.0 * GLOSS * GLOSS;
    let shine = (0.02 + 0.5 * GLOSS * GLOSS) * pow(max(dot(normal, half_way), 0.0), polish) * reached;
    let rim = RIM * pow(1.0 - max(dot(normal, view), 0.0), 4.0) * up * sky;
    let own = color * unpack4x8unorm(tint).rgb * 1.6;
    return toned(own * (diffuse + rim) + (0.9 * shine + 0.08 * rim) * LAMP);
}
