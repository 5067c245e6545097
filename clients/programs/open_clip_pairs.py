"""open_clip and segment-anything: pictures and words matched by a contrastive loss; masks for clicked points."""

import open_clip
import torch
from open_clip.model import CLIP
from segment_anything.modeling import ImageEncoderViT, MaskDecoder, PromptEncoder, Sam, TwoWayTransformer

torch.manual_seed(0)
vision = {"layers": 1, "width": 32, "patch_size": 8, "image_size": 16, "head_width": 16}
text = {"context_length": 8, "vocab_size": 50, "width": 32, "heads": 2, "layers": 1}
model = CLIP(embed_dim=16, vision_cfg=vision, text_cfg=text)
pictures, words = torch.randn(6, 3, 16, 16), torch.randint(1, 50, (6, 8))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
contrast = open_clip.ClipLoss()
losses = []
for _ in range(12):
    optimizer.zero_grad()
    loss = contrast(*model(pictures, words))
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.5 * losses[0], losses
model.eval()
found, wanted, scale = model(pictures, words)
print(f"pairs: {losses[0]:.3f} -> {losses[-1]:.3f}", (found @ wanted.T).argmax(1).tolist())

encoder = ImageEncoderViT(
    img_size=64, patch_size=16, embed_dim=32, depth=2, num_heads=2, out_chans=16, use_rel_pos=True, window_size=2,
    global_attn_indexes=(1,),
)  # fmt: skip
prompts = PromptEncoder(embed_dim=16, image_embedding_size=(4, 4), input_image_size=(64, 64), mask_in_chans=4)
transformer = TwoWayTransformer(depth=1, embedding_dim=16, mlp_dim=32, num_heads=2)
sam = Sam(encoder, prompts, MaskDecoder(num_multimask_outputs=3, transformer=transformer, transformer_dim=16))
clicked = {"point_coords": torch.tensor([[[10.0, 20.0]]]), "point_labels": torch.tensor([[1]])}
(masks,) = sam([{"image": torch.rand(3, 64, 64) * 255, "original_size": (64, 64), **clicked}], multimask_output=True)
print(
    "masks", tuple(masks["masks"].shape), f"{masks['low_res_logits'].mean():.4f} {masks['iou_predictions'].sum():.4f}"
)
